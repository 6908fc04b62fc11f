// Servers that mean harm: each gives a clear error, and nothing hangs or grows without bound.
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { mcpServer, type McpCommandOptions, type McpTool, type McpToolServer } from '../../src/mcp.ts';

// Programs are started here, and machines can be busy.
vi.setConfig({ testTimeout: 90_000 });

async function hostile<Result>(
  way: string,
  action: (server: McpToolServer) => Promise<Result>,
  options: Partial<McpCommandOptions> = {},
): Promise<Result> {
  const server = await mcpServer({
    name: 'hostile',
    command: process.execPath,
    args: [join(import.meta.dirname, 'support/hostile-child.ts'), way],
    protocol: 'legacy',
    ...options,
  });
  try {
    return await action(server);
  } finally {
    await server.close();
  }
}

const only = async (server: McpToolServer): Promise<McpTool> => (await server.tools())[0] as McpTool;

describe('what it offers', () => {
  it.each([
    ['names', 'MCP_DEFINITION', /name/],
    ['reserved', 'MCP_DEFINITION', /'exit', which code already has/],
    ['twins', 'MCP_DEFINITION', /'a-b' and 'a.b'/],
    ['same', 'MCP_DEFINITION', /both be called 'a'/],
    ['huge', 'MCP_LIMIT', /takes \d+ bytes/],
    ['pages', 'MCP_LIMIT', /100 pages/],
    ['many', 'MCP_LIMIT', /more than 200 tools/],
    ['shape', 'MCP_PROTOCOL', /not allowed/],
  ])('%s', async (way, code, message) => {
    await expect(hostile(way, (server) => server.tools())).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it('cannot hide a tool behind its name', async () => {
    expect(await hostile('hidden', async (server) => (await server.tools()).map(({ name }) => name))).toEqual(['peek']);
  });

  it('can be given other names, or left out', async () => {
    expect(
      await hostile('reserved', async (server) => [
        (await server.tools({ prefix: 'desk_' })).map(({ name }) => name),
        (await server.tools({ rename: { exit: 'leave' } })).map(({ name }) => name),
        (await server.tools({ except: ['exit'] })).length,
      ]),
    ).toEqual([['desk_exit'], ['leave'], 0]);
  });
});

describe('what it answers', () => {
  it('garbage is no answer', async () => {
    await expect(
      hostile('garbage', async (server) => (await only(server))({}), { timeout: 500 }),
    ).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('something else than a result', async () => {
    await expect(hostile('wrong', async (server) => (await only(server))({}))).rejects.toMatchObject({
      code: 'MCP_PROTOCOL',
    });
  });

  it('without end: nobody knows what came of the call, and the connection is closed', async () => {
    await expect(
      hostile('endless', async (server) => (await only(server))({}), { maxReplyBytes: 100_000 }),
    ).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  it('schemas that would keep a validator busy for hours cost nothing', async () => {
    const text = `${'a'.repeat(60)}!`;
    expect(await hostile('bomb', async (server) => (await only(server))({ text }))).toEqual({ text });
  });
});
