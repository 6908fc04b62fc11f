// An agent uses the tools of an MCP server from its code. The server dies in the middle of a call: the agent is told that
// nobody knows what came of it, and the call is not made again behind its back. No key and no network are needed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Models, Statek } from 'statek';
import { mcpServer } from 'statek/mcp';
import { scriptedModel } from 'statek/testing';

const folder = mkdtempSync(join(tmpdir(), 'statek-mcp-tools-'));
const accident = join(folder, 'accident');
writeFileSync(accident, '');

const library = await mcpServer({
  name: 'library',
  command: process.execPath,
  args: [join(import.meta.dirname, 'library-child.ts')],
  env: { LIBRARY_ACCIDENT: accident },
});
for (const { name, annotations } of await library.list())
  console.log(`${name}: ${annotations.readOnlyHint === true ? 'only reads' : 'has effects'}`);

const reader = new Agent({
  role: 'reader',
  systemPrompt: 'You find books, and borrow them.',
  metadata: { MODEL: 'script' },
  tools: await library.tools({ rename: { 'find-books': 'findBooks', 'lend-book': 'lendBook' } }),
});

// What a model would write.
const script = scriptedModel([
  '```ts\nconst { books } = await findBooks("Lem");\nconst oldest = books.sort((a, b) => a.year - b.year)[0];\nprint(oldest.title);\n```',
  '```ts\nlet slip;\ntry { slip = await lendBook(oldest.title) } catch (error) { print(error.code) }\n```',
  '```ts\n// Lending twice does no harm here, so it is tried again.\nslip = await lendBook(oldest.title);\nexit(slip)\n```',
]);
const kit = await Statek.open({
  store: join(folder, 'store'),
  agents: [reader],
  models: new Models({ models: { script }, env: {} }),
});

const job = await kit.submit(reader, { message: 'Borrow the oldest book of Lem.' });
const result = await job.result();
for (const line of await job.console()) console.log('>', line);
console.log(result);
for (const { by, name, state } of await job.calls()) if (by === 'program') console.log(`${name} ${state}`);

await kit.close(); // closes the server, too
rmSync(folder, { recursive: true, force: true });
