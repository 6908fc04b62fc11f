// A real MCP server for tests: what it was asked to do is in a file, so that calls can be counted from outside.
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const pixel = 'iVBORw0KGgo=';

/** `log` is the file; a file beside it named `.hold` makes `slow` wait for as long as it exists. */
export function desk(log: string): McpServer {
  const note = (line: string): void => appendFileSync(log, `${line}\n`);
  const server = new McpServer({ name: 'desk', version: '1.0.0' }, { instructions: 'Ask the desk.' });
  server.registerTool(
    'add',
    {
      description: 'Adds numbers.\n\nIt is good at it.',
      inputSchema: z.object({ a: z.number().describe('the first'), b: z.number(), note: z.string().optional() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }) => {
      note(`add ${a} ${b}`);
      return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } };
    },
  );
  server.registerTool(
    'book-room',
    {
      description: 'Books a room.',
      inputSchema: z.object({ room: z.string() }),
      annotations: { destructiveHint: true },
    },
    ({ room }, context) => {
      note(`book ${room} ${context.mcpReq._meta?.['statek/idempotencyKey'] as string}`);
      if (room === 'none') return { content: [{ type: 'text', text: 'There is no such room.' }], isError: true };
      return { content: [{ type: 'text', text: `booked ${room}` }] };
    },
  );
  const wait = async (context: { mcpReq: { signal: AbortSignal } }): Promise<string> => {
    for (let round = 0; round < 3000 && existsSync(`${log}.hold`); round++) {
      if (context.mcpReq.signal.aborted) {
        note('aborted');
        return 'aborted';
      }
      await sleep(10);
    }
    return 'slept';
  };
  server.registerTool(
    'slow',
    { description: 'Takes its time.', inputSchema: z.object({}) },
    async (_input, context) => {
      note('slow');
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: context.mcpReq._meta?.progressToken ?? 0, progress: 1, total: 2, message: 'half' },
      });
      return { content: [{ type: 'text', text: await wait(context) }] };
    },
  );
  server.registerTool(
    'look',
    { description: 'Looks slowly.', inputSchema: z.object({}), annotations: { idempotentHint: true } },
    async (_input, context) => {
      note('look');
      return { content: [{ type: 'text', text: await wait(context) }] };
    },
  );
  server.registerTool('picture', { description: 'A picture.', inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'text', text: 'Here:' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'desk://a', mimeType: 'text/plain', text: 'inside' } },
      { type: 'resource_link', uri: 'desk://b', name: 'b' },
    ],
  }));
  server.registerTool('flood', { inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) => ({
    content: [{ type: 'text', text: 'x'.repeat(bytes) }],
  }));
  server.registerTool('die', { inputSchema: z.object({}) }, () => process.kill(process.pid, 'SIGKILL') as never);
  server.registerTool('learn', { inputSchema: z.object({ name: z.string() }) }, ({ name }) => {
    server.registerTool(name, { description: 'Learnt.', inputSchema: z.object({}) }, () => ({
      content: [{ type: 'text', text: `I am ${name}` }],
    }));
    return { content: [{ type: 'text', text: 'learnt' }] };
  });
  server.registerResource('notes', 'desk://notes', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'buy milk' }],
  }));
  server.registerPrompt(
    'greet',
    { description: 'Greets.', argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }] }),
  );
  return server;
}
