// MCP beside the API of the same server, with the official client.
import { expect, it, onTestFinished } from 'vitest';
import { program, Statek } from '../../src/index.ts';
import { mcpServer } from '../../src/mcp.ts';
import { server, type Right } from '../../src/server.ts';

const careful = program({ role: 'careful', source: "await approve('Delete it?')" });

async function served(): Promise<{ kit: Statek; url: string }> {
  const kit = await Statek.open({ store: 'memory:', drivers: [careful] });
  const listening = await server(kit, {
    authorize: (request) => {
      const [, name = '', rights = '', label] = (request.headers.get('authorization') ?? '').split(' ');
      if (name === '') return undefined;
      return { name, rights: rights.split(',') as Right[], ...(label === undefined ? {} : { labels: [label] }) };
    },
  }).listen();
  onTestFinished(async () => {
    await listening.close();
    await kit.close();
  });
  return { kit, url: `${listening.url}mcp` };
}

async function connect(url: string, caller: string): Promise<Awaited<ReturnType<typeof mcpServer>>> {
  const connected = await mcpServer({ name: 'kit', url, headers: { authorization: `As ${caller}` } });
  onTestFinished(() => connected.close());
  return connected;
}

it('serves the tools that the rights of the caller allow', async () => {
  const { url } = await served();
  const names = async (caller: string): Promise<string[]> =>
    (await (await connect(url, caller)).list()).map(({ name }) => name);
  const all = await names('ann read,answer,control');
  expect(all).toEqual(expect.arrayContaining(['submit_job', 'approve', 'list_jobs']));
  const reading = await names('bob read');
  expect(reading).toContain('list_jobs');
  expect(reading).not.toContain('submit_job');
  expect(reading).not.toContain('approve');
  expect(await names('eve read,control')).not.toContain('approve');
});

it('records who decided, whatever the request says', async () => {
  const { kit, url } = await served();
  const job = await kit.submit('careful', { id: 'c' });
  await kit.runUntilIdle();
  const tools = await (await connect(url, 'ann read,answer,control')).tools({ only: ['approve'], prefix: 'far_' });
  const [approve] = tools;
  const future = (await job.waiting())[0]?.id ?? '';
  const services = { far_approve: approve as object };
  const other = await Statek.open({ store: 'memory:', services });
  const workspace = await other.workspace('w', { vars: services });
  await workspace.run(`await far_approve({ future: ${JSON.stringify(future)}, by: 'somebody else' })`);
  await workspace.settled();
  await other.close();
  expect(await job.decisions()).toMatchObject([{ approved: true, by: 'ann' }]);
});

it('refuses callers without a name, without the right, and with only some jobs', async () => {
  const { url } = await served();
  const status = async (headers: Record<string, string>): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }))
      .status;
  };
  expect(await status({})).toBe(401);
  expect(await status({ authorization: 'As mallory answer' })).toBe(403);
  expect(await status({ authorization: 'As mallory read mine' })).toBe(403);
  expect(await status({ authorization: 'As ann read', origin: 'https://evil.example' })).toBe(403);
});
