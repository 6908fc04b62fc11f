// A small MCP server, as anybody would write one: it knows some books, and lends them. It is a program of its own, spoken to
// over its standard input and output. Lending takes a moment, and LIBRARY_ACCIDENT makes the server die in the middle of it.
import { existsSync, rmSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const books = [
  { title: 'Solaris', author: 'Lem', year: 1961 },
  { title: 'Eden', author: 'Lem', year: 1958 },
  { title: 'Ubik', author: 'Dick', year: 1969 },
];
const accident = process.env['LIBRARY_ACCIDENT'] ?? '';

function library(): McpServer {
  const server = new McpServer({ name: 'library', version: '1.0.0' });
  server.registerTool(
    'find-books',
    {
      description: 'Books of an author.',
      inputSchema: z.object({ author: z.string() }),
      outputSchema: z.object({
        books: z.array(z.object({ title: z.string(), author: z.string(), year: z.number() })),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ author }) => {
      const found = books.filter((book) => book.author === author);
      return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: { books: found } };
    },
  );
  server.registerTool(
    'lend-book',
    { description: 'Lends a book.', inputSchema: z.object({ title: z.string() }) },
    ({ title }) => {
      if (existsSync(accident)) {
        rmSync(accident);
        process.kill(process.pid, 'SIGKILL');
      }
      return { content: [{ type: 'text', text: `You have ${title} until Friday.` }] };
    },
  );
  return server;
}

serveStdio(library);
