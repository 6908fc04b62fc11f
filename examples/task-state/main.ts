// Where the variables of a typed task stay: nowhere, in this process (`Live`), or durably with their history (`Versioned`).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { events, Live, storeOf, Versioned, view } from 'statek';
import type { VersionedState } from 'statek/types';
import { analyst, answer, brief } from './agents.ts';
import { FolderKV } from './folder-kv.ts';

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const open = (): VersionedState => Versioned(storeOf(new FolderKV(folder), { durable: true }));

console.log('No state: each call begins anew.');
console.log(' ', await answer({ question: 'Sales by town?' }));

console.log('Live: variables stay in this process, and may hold anything, also an open cursor.');
const live = Live();
await answer({ question: 'Begin to read the sales.' }, { state: live });
console.log(' ', await answer({ question: 'And the next town?' }, { state: live }));
await live.close();

console.log('Versioned: variables stay for good. A cursor can be used within a slice, and not kept:');
let state = open();
console.log(' ', await answer({ question: 'Sales by town?' }, { state }));
for (const event of await events(state))
  if (event.kind === 'output' && event.error !== undefined) console.log(`  refused: ${event.error.split('\n')[0]}`);
const first = await newestCommit();
await state.close();

console.log('Another process opens the same folder; another agent has variables of its own in the same state.');
state = open();
console.log(' ', await answer({ question: 'Which town sold most?' }, { state }));
console.log(' ', await brief({ topic: 'sales' }, { state }));
console.log('  all:', await view(state, { focus: 'full' }));
console.log('  last change:', await view(state, { focus: 'recent' }));

console.log('Every event has the commit it belongs to, and every commit can be checked out.');
for (const event of await events(state)) {
  // Of code, its last line.
  const text =
    event.kind === 'call' ? event.text : event.kind === 'action' ? event.code.join('\n').split('\n').at(-1) : '';
  console.log(`  ${event.agent.padEnd(8)} ${event.kind.padEnd(8)} ${text}`.trimEnd());
  if (event.commit === undefined) throw new Error('An event without a commit.');
}
console.log('  after the first call:', Object.keys(await view(await state.checkout(first))).join(', '));
for (const { name, change, after } of await state.diff(first, await newestCommit()))
  console.log(`  ${change} since then: ${name} = ${after}`);

console.log('A fork goes on from a commit by itself; a rollback takes the state itself back.');
const fork = await state.fork(first);
await answer({ question: 'How many towns are there?' }, { state: fork });
console.log('  fork: ', Object.keys(await fork.variables(analyst)).join(', '));
console.log('  state:', Object.keys(await state.variables(analyst)).join(', '));
await state.rollback(first);
console.log('  state after the rollback:', Object.keys(await state.variables(analyst)).join(', '));
await fork.close();
await state.close();
rmSync(folder, { recursive: true, force: true });

async function newestCommit(): Promise<string> {
  const [newest] = await state.commits(analyst, { limit: 1 });
  if (newest === undefined) throw new Error('The analyst has done nothing yet.');
  return newest.hash;
}
