// The application's own HTTP server: the files of the page, and the kit under /statek.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Statek } from 'statek';
import { server } from 'statek/server';

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Serves the page of a folder and the kit; returns the address of the page. */
export async function serveApplication(kit: Statek, folder: string, port: number): Promise<string> {
  const statek = server(kit, {
    prefix: '/statek',
    // Whoever can open this page is Ann. Yours asks its session here who sent the request.
    authorize: () => ({ name: 'Ann', rights: ['read', 'answer', 'control'] }),
  });
  const listening = createServer((request, response) => {
    statek.node(request, response, () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const name = pathname === '/' ? '/index.html' : pathname;
      readFile(join(folder, name)).then(
        (file) => response.setHeader('content-type', types[extname(name)] ?? 'application/octet-stream').end(file),
        () => response.writeHead(404).end(),
      );
    });
  }).listen(port, '127.0.0.1');
  await once(listening, 'listening');
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
}
