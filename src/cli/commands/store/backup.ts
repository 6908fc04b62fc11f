// `statek backup`: the store as one file, while others work with it.
import { resolve } from 'node:path';
import type { Command } from '../../line/command.ts';
import { harmless } from '../../output/style.ts';
import { bytesText } from '../../output/time.ts';
import { moveFacts, moveOptions, skipDamagedOption, withFile } from './moving.ts';
import { useStore } from './open-store.ts';

export const backup: Command = {
  name: 'backup',
  group: 'Maintain',
  summary: 'write the whole store to a new file, or what changed since an earlier backup, while workers go on',
  details: `The file has everything as it is at one revision, with checksums. It gets its name when it is complete, synced, and was read
again. With --since it has only what changed; the older backups are needed to restore it. A store on Redis can be backed up only
while nobody writes to it.`,
  arguments: [{ syntax: '<file>', description: 'the file to write; it must not exist' }],
  options: [
    {
      flags: '--since <backup>',
      description: 'only what changed since this backup: its file, or its revision',
    },
    skipDamagedOption,
  ],
  examples: [
    ['backup monday.backup', 'everything'],
    ['backup tuesday.backup --since monday.backup', 'what changed since'],
    ['restore monday.backup tuesday.backup --store ./restored', 'both together, in another store'],
  ],
  async run(session, given) {
    const { out } = session;
    const file = given.text('file');
    const since = given.optional('since');
    const { backupStore } = await import('../../../store/backup/backup-store.ts');
    const report = await useStore(session, 'read', (store) =>
      withFile(
        session,
        file,
        backupStore(store, resolve(session.folder, file), {
          ...moveOptions(session, 'backup'),
          skipDamaged: given.flag('skipDamaged'),
          since: sinceOf(session.folder, since),
        }),
      ),
    );
    if (out.isJson) out.json(report);
    else
      out.facts([
        ['file', `${file} (${bytesText(report.bytes)})`],
        ['since', report.since === undefined ? undefined : `revision ${report.since}`],
        ...moveFacts(report),
        ['left out', harmless(report.damaged.join('\n'))],
      ]);
  },
};

/** A revision, or the path of a file. */
function sinceOf(folder: string, since: string | undefined): string | number | undefined {
  if (since === undefined) return undefined;
  return /^\d+$/.test(since) ? Number(since) : resolve(folder, since);
}
