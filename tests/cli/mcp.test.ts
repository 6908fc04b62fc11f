// `statek mcp`: the SDK's own client uses the jobs of an application, over standard input and output and over HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';

const main = join(import.meta.dirname, '../../src/cli/main.ts');
const application = join(import.meta.dirname, 'application');

async function withStore(action: (store: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-cli-mcp-'));
  try {
    await action(join(folder, 'store'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('submits a job and tells its result, over standard input and output', () =>
  withStore(async (store) => {
    const client = new Client({ name: 'test', version: '1' });
    const args = [main, 'mcp', '--store', store];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: application }));
    const submitted = await client.callTool({
      name: 'submit_job',
      arguments: { agent: 'double', id: 'd', vars: { n: 21 } },
    });
    expect(submitted.isError ?? false).toBe(false);
    const { structuredContent } = await client.callTool({
      name: 'job_result',
      arguments: { job: 'd', waitSeconds: 30 },
    });
    expect(structuredContent).toMatchObject({ result: 42 });
    await client.close();
  }));

it('listens for HTTP, lets clients look only, and ends with an interrupt', () =>
  withStore(async (store) => {
    const args = [main, 'mcp', '--store', store, '--port', '0', '--read-only', '--no-worker', '--json'];
    const server = spawn(process.execPath, args, { cwd: application, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const { url } = JSON.parse(line) as { url: string };
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('list_jobs');
    expect(names).not.toContain('submit_job');
    await client.close();
    const exited = once(server, 'exit');
    server.kill('SIGINT');
    expect((await exited)[0]).toBe(0);
  }));
