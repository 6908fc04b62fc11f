// A process that is killed: it writes to a store, backs it up, or restores it. Says by a message when it has begun.
import { randomUUID } from 'node:crypto';
import { backupStore, openStore, restoreStore } from '../../src/store.ts';
import { accounts, ballast, transfer, transfers } from './bank.ts';

export type Work =
  | { readonly work: 'write'; readonly location: string }
  | { readonly work: 'backup'; readonly location: string; readonly file: string; readonly since?: string }
  | { readonly work: 'restore'; readonly location: string; readonly files: readonly string[] };

const given = JSON.parse(process.argv[2] ?? '') as Work;
const store = await openStore(given.location);
process.send?.('begun');
switch (given.work) {
  case 'write':
    await store.declare(accounts, transfers, ballast);
    for (let done = 0; ;) {
      if (!(await transfer(store, randomUUID()))) continue;
      if (++done % 10 === 0) process.send?.('more');
    }
  case 'backup':
    await backupStore(store, given.file, { since: given.since });
    break;
  case 'restore':
    await restoreStore(store, given.files);
    break;
}
await store.close();
if (process.connected) process.disconnect();
