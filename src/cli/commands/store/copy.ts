// `statek copy`: a store into another one, of whichever engine.
import type { Command } from '../../line/command.ts';
import { harmless } from '../../output/style.ts';
import { moveFacts, moveOptions, skipDamagedOption } from './moving.ts';
import { useLocation } from './open-store.ts';

export const copy: Command = {
  name: 'copy',
  group: 'Maintain',
  summary: 'copy a store into an empty one of any engine: a folder to PostgreSQL, and back',
  details: `Jobs, history, objects and their versions are the same there, with the same revisions. Stop the workers of the first store
before: jobs that wait go on wherever a worker works on a store, and both have them afterwards. All or nothing: if it is
interrupted, the other store stays empty.`,
  arguments: [
    { syntax: '<from>', description: 'a folder, a .db file, postgres://… or redis://…' },
    { syntax: '<to>', description: 'the same; it must be empty, and is made if it is missing' },
  ],
  options: [skipDamagedOption],
  examples: [
    ['copy ./data postgres://app@db/app', 'move to PostgreSQL'],
    ['copy postgres://app@db/app ./data', 'and back'],
  ],
  async run(session, given) {
    const { out } = session;
    const { copyStore } = await import('../../../store/backup/copy-store.ts');
    const { report, from, to } = await useLocation(session, given.text('from'), 'read', (source, sourceName) =>
      useLocation(session, given.text('to'), 'fill', async (target, targetName) => ({
        from: sourceName,
        to: targetName,
        report: await copyStore(source, target, {
          ...moveOptions(session, 'copy'),
          skipDamaged: given.flag('skipDamaged'),
        }),
      })),
    );
    if (out.isJson) out.json({ from, to, ...report });
    else
      out.facts([['from', from], ['to', to], ...moveFacts(report), ['left out', harmless(report.damaged.join('\n'))]]);
  },
};
