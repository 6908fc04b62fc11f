// `statek restore`: an empty store out of backups.
import { resolve } from 'node:path';
import type { Command } from '../../line/command.ts';
import { moveFacts, moveOptions, withFile } from './moving.ts';
import { useStore } from './open-store.ts';

export const restore: Command = {
  name: 'restore',
  group: 'Maintain',
  summary: 'fill an empty store from a full backup and the incremental ones after it',
  details: `All or nothing: if a file is damaged or missing, or the command is interrupted, the store stays empty, and the command can be
repeated. Jobs go on there as soon as a worker works on the store.`,
  arguments: [{ syntax: '<files...>', description: 'a full backup, then what changed since, in order' }],
  examples: [
    ['restore monday.backup --store ./restored', 'a full backup, into a new folder'],
    ['restore monday.backup tuesday.backup --store postgres://…', 'with what changed since, into PostgreSQL'],
  ],
  async run(session, given) {
    const { out } = session;
    const files = given.list('files');
    const paths = files.map((file) => resolve(session.folder, file));
    const { checkedChain, restoreStore } = await import('../../../store/backup/restore-store.ts');
    // Before the store is made, so that a mistake leaves no empty folder behind.
    await withFile(session, files.join(', '), checkedChain(paths));
    const { report, name } = await useStore(session, 'fill', async (store, location) => ({
      name: location,
      report: await withFile(session, files.join(', '), restoreStore(store, paths, moveOptions(session, 'restore'))),
    }));
    if (out.isJson) out.json({ store: name, ...report });
    else out.facts([['store', name], ...moveFacts(report)]);
  },
};
