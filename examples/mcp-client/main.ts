// Another program drives a durable job over MCP, with the official client and nothing of Statek: it submits, answers, approves, and
// goes on after the server was killed: npm run example mcp-client [-- --python]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const [loader, server] = ['../from-source.ts', 'server-child.ts'].map((name) => join(import.meta.dirname, name));

interface Connection {
  readonly client: Client;
  readonly transport: StdioClientTransport;
}

/** Starts the program that has the agents. It is told where its store is, and inherits the keys of providers. */
async function connect(): Promise<Connection> {
  const args = ['--import', loader ?? '', server ?? '', folder, ...process.argv.slice(2)];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: { ...process.env } as Record<string, string>,
  });
  const client = new Client({ name: 'booking-page', version: '1.0.0' });
  await client.connect(transport);
  return { client, transport };
}

let { client, transport } = await connect();

interface Wait {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** Somebody has to approve it. */
  readonly undecided: boolean;
}

/** Calls a tool of the server; what it answers is data. */
async function call(name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: input });
  if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
  return structuredContent as Record<string, unknown>;
}

/** Waits until the job is done, or waits for a person. */
async function nextWait(): Promise<Wait | undefined> {
  for (;;) {
    const { status, waiting = [] } = await call('show_job', { job: 'offsite' });
    const wait = (waiting as Wait[]).find(({ kind, undecided }) => kind === 'ask' || undecided);
    if (status === 'DONE' || wait !== undefined) return wait;
    await pause(50);
  }
}

console.log('agents:', (await call('list_agents'))['agents']);
// The id makes it safe to send this twice.
await call('submit_job', { agent: 'clerk', id: 'offsite', message: 'Book a room for us.', vars: { people: 9 } });

let isKilled = false;
for (let wait = await nextWait(); wait !== undefined; wait = await nextWait()) {
  console.log(`the job ${wait.kind === 'ask' ? 'asks' : 'wants to call'}: ${wait.text}`);
  if (!isKilled) {
    process.kill(transport.pid ?? 0, 'SIGKILL');
    ({ client, transport } = await connect());
    isKilled = true;
    console.log('(the server was killed, and started again)');
    console.log('its variables:', (await call('job_locals', { job: 'offsite' }))['locals']);
  } else if (wait.kind === 'ask') await call('answer', { future: wait.id, value: 'Friday', by: 'Ann' });
  else await call('approve', { future: wait.id, by: 'Ann', comment: 'Nice room.' });
}
console.log('result:', (await call('job_result', { job: 'offsite' }))['result']);
console.log('console:', (await call('job_console', { job: 'offsite' }))['lines']);
await client.close();
rmSync(folder, { recursive: true, force: true });
