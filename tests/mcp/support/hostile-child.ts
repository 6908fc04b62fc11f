// A server that means harm. It speaks the protocol by hand, so that it can break it.
import { createInterface } from 'node:readline';

const [way = ''] = process.argv.slice(2);
const object = { type: 'object', properties: {} };
const send = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

const bomb = {
  type: 'object',
  properties: { text: { type: 'string', pattern: '^(a+)+$' } },
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  ),
  allOf: [{ $ref: '#/$defs/d0' }],
};

function tools(cursor: string | undefined): unknown {
  switch (way) {
    case 'names':
      return {
        tools: [
          { name: '__proto__', inputSchema: object },
          { name: 'é à', inputSchema: object },
        ],
      };
    case 'reserved':
      return { tools: [{ name: 'exit', inputSchema: object }] };
    case 'hidden':
      return { tools: [{ name: '__peek', inputSchema: object }] };
    case 'twins':
      return {
        tools: [
          { name: 'a-b', inputSchema: object },
          { name: 'a.b', inputSchema: object },
        ],
      };
    case 'same':
      return {
        tools: [
          { name: 'a', inputSchema: object },
          { name: 'a', inputSchema: object },
        ],
      };
    case 'huge':
      return { tools: [{ name: 'a', description: 'x'.repeat(100_000), inputSchema: object }] };
    case 'pages':
      return { tools: [], nextCursor: `${Number(cursor ?? 0) + 1}` };
    case 'many':
      return { tools: Array.from({ length: 300 }, (_, index) => ({ name: `t${index}`, inputSchema: object })) };
    case 'shape':
      return { tools: [{ name: 5, inputSchema: 'no' }] };
    case 'bomb':
      return { tools: [{ name: 'boom', inputSchema: bomb, outputSchema: bomb }] };
    default:
      return { tools: [{ name: 'act', inputSchema: object }] };
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: Record<string, never> };
  if (id === undefined) return;
  const answer = (result: unknown): void => send({ jsonrpc: '2.0', id, result });
  switch (method) {
    case 'initialize':
      return answer({
        protocolVersion: params?.['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      });
    case 'tools/list':
      return answer(tools(params?.['cursor']));
    case 'tools/call':
      if (way === 'garbage') return void process.stdout.write('this is not JSON at all\n');
      if (way === 'wrong') return answer({ content: 'not a list' });
      if (way === 'endless') {
        const more = (): void => {
          while (process.stdout.write('x'.repeat(65_536)));
          process.stdout.once('drain', more);
        };
        return more();
      }
      if (way === 'bomb') return answer({ content: [], structuredContent: { text: `${'a'.repeat(60)}!` } });
      return answer({ content: [] });
    default:
      return send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } });
  }
});
