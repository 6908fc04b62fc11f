// Tools of a real MCP server in a workspace: values, errors, limits, lost connections.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Statek } from '../../src/index.ts';
import {
  mcpServer,
  type McpCommandOptions,
  type McpProgress,
  type McpServerOptions,
  type McpToolsOptions,
} from '../../src/mcp.ts';
import { Place } from './support/place.ts';

// Programs are started here, and machines can be busy.
vi.setConfig({ testTimeout: 90_000 });

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.close());

/** Runs a step in a workspace that has the tools of the desk. */
async function run(source: string, options: Partial<McpCommandOptions> = {}, chosen: McpToolsOptions = {}) {
  const server = await mcpServer({ ...place.command(), ...options });
  const tools = await server.tools({ rename: { 'book-room': 'book' }, ...chosen });
  const services = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  const kit = await Statek.open({ store: 'memory:', services });
  try {
    const workspace = await kit.workspace('w', { vars: services });
    const step = await workspace.run(source);
    return step.status === 'suspended' ? await workspace.settled() : step;
  } finally {
    await kit.close();
    await server.close();
  }
}

describe.each(['stdio', 'http', 'modern'] as const)('over %s', (way) => {
  const server = async (): Promise<McpServerOptions> =>
    way === 'stdio' ? place.command() : { name: 'desk', url: (await place.http(way)).url };

  it('gives structured content as values, text as text, and errors as errors', async () => {
    const desk = await mcpServer(await server());
    const services = Object.fromEntries((await desk.tools()).map((tool) => [tool.name, tool]));
    const kit = await Statek.open({ store: 'memory:', services });
    const workspace = await kit.workspace('w', { vars: services });
    await workspace.run(`
      const { sum } = await add(1, 2);
      const booked = await book_room({ room: 'A' });
      let error;
      try { await book_room('none') } catch (thrown) { error = [thrown.name, thrown.code, thrown.message] }
      let wrong;
      try { await add('1', 2) } catch (thrown) { wrong = thrown.message }
      const parts = await picture();
      [sum, booked, error, wrong, parts]`);
    const { value, error } = await workspace.settled();
    expect(error).toBeUndefined();
    expect(value).toEqual([
      3,
      'booked A',
      ['McpToolError', 'MCP_TOOL', 'There is no such room.'],
      'add was called with something it does not take: a: expected number, not string. Call it as add(a, b, { note? }).',
      [
        { type: 'text', text: 'Here:' },
        { type: 'image', mediaType: 'image/png', data: new Uint8Array(Buffer.from('iVBORw0KGgo=', 'base64')) },
        { type: 'resource', uri: 'desk://a', mediaType: 'text/plain', text: 'inside' },
        { type: 'link', uri: 'desk://b', name: 'b' },
      ],
    ]);
    expect(place.lines()).toEqual(['add 1 2', 'book A w/2', 'book none w/3']);
    await kit.close();
    await desk.close();
  });

  it('reads resources and prompts', async () => {
    const desk = await mcpServer(await server());
    expect(await desk.instructions()).toBe('Ask the desk.');
    expect(await desk.resources()).toEqual([
      { uri: 'desk://notes', name: 'notes', description: undefined, mediaType: 'text/plain' },
    ]);
    expect(await desk.readResource('desk://notes')).toEqual([
      { type: 'resource', uri: 'desk://notes', mediaType: 'text/plain', text: 'buy milk' },
    ]);
    expect(await desk.prompts()).toEqual([
      { name: 'greet', description: 'Greets.', parameters: [{ name: 'name', required: true }] },
    ]);
    expect(await desk.prompt('greet', { name: 'Ann' })).toEqual([
      { role: 'user', part: { type: 'text', text: 'Hello Ann' } },
    ]);
    await desk.close();
  });

  it('refuses replies that are too large', async () => {
    const given = await server();
    const desk = await mcpServer({ ...given, maxReplyBytes: 100_000 });
    const [flood] = await desk.tools({ only: ['flood'] });
    await expect(flood?.({ bytes: 90_000 })).resolves.toHaveLength(90_000);
    await expect(flood?.({ bytes: 100_500 })).rejects.toThrow(/MCP server 'desk'.*bytes/);
    await expect(flood?.({ bytes: 9_000_000 })).rejects.toThrow(/desk/);
    await expect(flood?.({ bytes: 10 })).resolves.toBe('xxxxxxxxxx');
    await desk.close();
  });

  it('does not know what came of a call whose server was killed, and goes on with another server', async () => {
    const progress: McpProgress[] = [];
    place.hold();
    const started = way === 'stdio' ? undefined : await place.http(way);
    const given = started === undefined ? place.command() : { name: 'desk', url: started.url };
    const desk = await mcpServer({ ...given, onProgress: (told) => progress.push(told) });
    const services = Object.fromEntries((await desk.tools()).map((tool) => [tool.name, tool]));
    const kit = await Statek.open({ store: 'memory:', services });
    const workspace = await kit.workspace('w', { vars: services });
    await workspace.run(`
      let outcome;
      try { outcome = await slow() } catch (thrown) { outcome = [thrown.name, thrown.code] }
      outcome`);
    await place.until(() => place.lines().includes('slow') && progress.length > 0);
    if (started !== undefined) started.child.kill('SIGKILL');
    else {
      // Another call makes the server kill itself in the middle of the first one.
      void services['die']?.({}).catch(() => undefined);
    }
    const { value } = await workspace.settled();
    expect(value).toEqual(['OutcomeUnknownError', 'OUTCOME_UNKNOWN']);
    expect(place.lines()).toEqual(['slow']);
    expect(progress[0]).toMatchObject({ tool: 'slow', workspace: 'w', progress: 1, total: 2, message: 'half' });
    await workspace.run('await add(2, 2).catch((error) => error.code)');
    // A program is started again; the one on the port is not ours to start.
    expect((await workspace.settled()).value).toEqual(way === 'stdio' ? { sum: 4 } : 'MCP_CONNECTION');
    await kit.close();
    await desk.close();
  });
});

it('repeats a call that is idempotent when the connection was lost', async () => {
  place.hold();
  const desk = await mcpServer(place.command());
  const [look, die] = await desk
    .tools({ only: ['look', 'die'] })
    .then((all) => [all.find(({ name }) => name === 'look'), all.find(({ name }) => name === 'die')]);
  const looked = look?.({});
  await place.until(() => place.lines().length === 1);
  await die?.({}).catch(() => undefined);
  place.release();
  expect(await looked).toBe('slept');
  expect(place.lines()).toEqual(['look', 'look']);
  await desk.close();
});

it('does not repeat a call that says retry, if nobody knows what came of it; a person may', async () => {
  place.hold();
  const desk = await mcpServer(place.command());
  const tools = await desk.tools({
    options: { slow: { retry: { attempts: 5, backoff: 0 }, onUnknown: 'ask' } },
  });
  const services = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  const kit = await Statek.open({ store: 'memory:', services });
  const workspace = await kit.workspace('w', { vars: services });
  await workspace.run('await slow()');
  await place.until(() => place.lines().length === 1);
  await services['die']?.({}).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(place.lines()).toEqual(['slow']);
  place.release();
  const [future] = await workspace.waiting();
  await kit.approve(future?.id ?? '');
  expect((await workspace.settled()).value).toBe('slept');
  expect(place.lines()).toEqual(['slow', 'slow']);
  await kit.close();
  await desk.close();
});

it('tells the server when time is over', async () => {
  place.hold();
  const { error } = await run('await slow()', {}, { options: { slow: { timeout: 300 } } });
  expect(error?.name).toBe('TimeoutError');
  await place.until(() => place.lines().includes('aborted'));
});

it('asks for consent where the application says so', async () => {
  const desk = await mcpServer(place.command());
  const tools = await desk.tools({
    options: ({ annotations }) => (annotations.destructiveHint === true ? { approval: 'always' } : undefined),
  });
  const services = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  const kit = await Statek.open({ store: 'memory:', services });
  const workspace = await kit.workspace('w', { vars: services });
  const step = await workspace.run("await book_room('A')");
  expect(step.status).toBe('suspended');
  expect(place.lines()).toEqual([]);
  await kit.deny(step.waiting[0]?.id ?? '', 'too dear');
  expect((await workspace.settled()).error?.name).toBe('DeniedError');
  expect(place.lines()).toEqual([]);
  await kit.close();
  await desk.close();
});

it('sends data only, and no object of the application', async () => {
  class Secret {
    key = 'value';
  }
  const desk = await mcpServer(place.command());
  const services = {
    ...Object.fromEntries((await desk.tools()).map((tool) => [tool.name, tool])),
    secret: new Secret(),
  };
  const kit = await Statek.open({ store: 'memory:', services });
  const workspace = await kit.workspace('w', { vars: services });
  await workspace.run('await add(1, 2, { note: secret })');
  expect((await workspace.settled()).error?.message).toMatch(/note/);
  expect(place.lines()).toEqual([]);
  await kit.close();
  await desk.close();
});

it('refuses a server that is not there, and names that do not exist', async () => {
  await expect(mcpServer({ name: 'x', command: 'no-such-program-at-all' })).rejects.toMatchObject({
    code: 'MCP_CONNECTION',
  });
  await expect(mcpServer({ name: 'x', url: 'http://127.0.0.1:1/mcp' })).rejects.toMatchObject({
    code: 'MCP_CONNECTION',
  });
  await expect(
    mcpServer({ name: 'x', command: process.execPath, args: ['-e', 'console.error("no key"); process.exit(3)'] }),
  ).rejects.toMatchObject({ code: 'MCP_CONNECTION', details: { stderr: 'no key\n' } });
  await expect(mcpServer({ name: 'x' } as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(mcpServer({ name: 'x', url: 'http://a', args: [] })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  });
  const desk = await mcpServer(place.command());
  await expect(desk.tools({ only: ['ad'] })).rejects.toMatchObject({ code: 'MCP_DEFINITION' });
  await desk.close();
  await expect(desk.list()).rejects.toMatchObject({ code: 'MCP_CONNECTION' });
});
