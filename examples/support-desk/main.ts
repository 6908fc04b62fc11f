// A support desk in an Express application: npm run example support-desk [-- --python --serve --port 3000]
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Statek } from 'statek';
import { client } from 'statek/client';
import { exampleModels } from '../models.ts';
import { deskIn, scripts } from './agent.ts';
import { serveDesk } from './app.ts';

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '0' },
    python: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const language = values.python ? 'python' : 'typescript';
const models = exampleModels({ script: scripts[language] });
const open = (): Promise<Statek> => Statek.open({ store: folder, agents: [deskIn(language)], models });

let kit = await open();
let app = await serveDesk(kit, Number(values.port));
const tickets = [
  { id: 't-1', customer: 'Ann', order: 'o-1', text: 'My lamp arrived broken.' },
  { id: 't-2', customer: 'Ben', order: 'o-2', text: 'The cable is too short.' },
  { id: 't-3', customer: 'Cleo', order: 'o-3', text: 'The sofa is blue, and I do not like blue.' },
];
for (const ticket of tickets) {
  const body = JSON.stringify(ticket);
  await fetch(`${app.url}tickets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  console.log(`${ticket.customer}: ${ticket.text}`);
}

if (values.serve) await decideInBrowser();
else await decideByProgram();
await app.close();
await kit.close();
rmSync(folder, { recursive: true, force: true });

/** What the inspector does for Eve, with the same API. */
async function decideByProgram(): Promise<void> {
  let far = client({ url: `${app.url}statek/`, token: 'token-of-eve-0001' });
  // The small sum is given back without anybody; the other tickets wait for a person. Each change of a job is an event.
  for await (const { kind } of far.events({ since: 0 })) {
    if (kind !== 'suspended' && kind !== 'done') continue;
    const { waiting } = await far.get('/waiting', { query: { people: 'true' } });
    if (waiting.length + (await kit.countJobs({ status: 'DONE' })) === tickets.length) break;
  }

  // Weeks may pass, and versions of the application.
  await app.close();
  await kit.close();
  kit = await open();
  app = await serveDesk(kit, 0);
  console.log('\nThe application was restarted. Eve opens the inspector:');

  far = client({ url: `${app.url}statek/`, token: 'token-of-eve-0001' });
  const { waiting } = await far.get('/waiting', { query: { people: 'true' } });
  for (const { id, job, text } of waiting.toSorted((a, b) => a.job.localeCompare(b.job))) {
    const isReasonable = job === 't-1';
    console.log(`  ${job} asks: ${text} ${isReasonable ? 'Approve' : 'Deny'}`);
    if (isReasonable)
      await far.post('/waiting/{id}/approve', { path: { id }, body: { comment: 'It was our carrier.' } });
    else await far.post('/waiting/{id}/deny', { path: { id }, body: { reason: 'colours cannot be returned.' } });
    // Max has the same page open, and is too late.
    const max = client({ url: `${app.url}statek/`, token: 'token-of-max-0001' });
    await max
      .post('/waiting/{id}/deny', { path: { id }, body: {} })
      .catch((error: unknown) => console.log(`    Max is too late: ${/Eve said \w+/.exec(String(error))?.[0]}`));
  }

  console.log('');
  for (const { id } of tickets) {
    const job = await kit.job(id);
    await job.result();
    console.log(`→ ${String(await (await fetch(`${app.url}tickets/${id}`)).json())}`);
    for (const { approved, by, comment = '' } of await job.decisions())
      console.log(`  ${by} ${approved === true ? 'approved' : 'denied'}: ${comment}`);
  }
}

async function decideInBrowser(): Promise<void> {
  // An installed package brings the page; in the repository it is built when its sources have changed.
  const { upToDateInspector } = await import('../../scripts/support/inspector.ts');
  await upToDateInspector();
  console.log(`\nEve decides at ${app.url}statek/#token=token-of-eve-0001&to=${encodeURIComponent('/waiting')}`);
  console.log(`Customers read at ${app.url}tickets/t-1. Ctrl-C ends it.`);
  await once(process, 'SIGINT');
}
