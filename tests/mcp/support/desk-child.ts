// The desk as a program: over its standard input and output, or on a port of 127.0.0.1 over HTTP.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { desk } from './desk.ts';

const [log = '', way = 'stdio'] = process.argv.slice(2);

if (way === 'stdio') serveStdio(() => desk(log));
else {
  const handler = createMcpHandler(() => desk(log), { legacy: way === 'modern' ? 'reject' : 'stateless' });
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url ?? '/'}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        signal: abort.signal,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
}
