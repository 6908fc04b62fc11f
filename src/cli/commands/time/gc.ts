// `statek gc`: frees what retention does not keep.
import type { GcProgress } from '../../../history/history.ts';
import type { Command } from '../../line/command.ts';
import { bytesText, parseBytes, parseSpan } from '../../output/time.ts';
import { wholeNumber } from '../../line/parse.ts';

const labels: Readonly<Record<GcProgress['phase'], string>> = {
  retention: 'commits',
  packs: 'packs',
  boots: 'boot images',
};

export const gc: Command = {
  name: 'gc',
  group: 'Maintain',
  summary: 'drop commits that are not to be kept, and free what nothing leads to; others may work meanwhile',
  details: 'Without --keep-… no commit is dropped. Commits with a tag are always kept, and so is the latest.',
  options: [
    {
      flags: '--keep-last <number>',
      description: 'keep the newest so many commits of each program',
      parse: wholeNumber(1, 1_000_000_000),
    },
    { flags: '--keep-younger <time>', description: 'keep commits younger than this: 12h, 30d', parse: parseSpan },
    { flags: '--keep-bytes <size>', description: 'keep at most so much of each program: 500mb', parse: parseBytes },
    {
      flags: '--grace <time>',
      description: 'how long an object that nothing leads to is kept; 1h unless told',
      parse: parseSpan,
    },
  ],
  examples: [['gc --keep-last 100 --keep-younger 30d', 'keep a month, and at least a hundred commits']],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const retention = {
      last: given.number('keepLast'),
      youngerThan: given.number('keepYounger'),
      bytes: given.number('keepBytes'),
    };
    const isLimited = Object.values(retention).some((value) => value !== undefined);
    const grace = given.number('grace');
    const report = await kit
      .gc({
        ...(isLimited ? { retention } : {}),
        ...(grace === undefined ? {} : { graceMilliseconds: grace }),
        onProgress: ({ phase, done, total }) => out.progress(labels[phase], done, total),
        signal: session.signal,
      })
      .finally(() => out.endProgress());
    if (out.isJson) {
      out.json(report);
      return;
    }
    out.facts([
      ['commits dropped', String(report.commitsDropped)],
      ['packs removed', `${report.packsRemoved} (${report.packsStillNeeded} still needed)`],
      ['boot images removed', String(report.bootsRemoved)],
      ['freed', bytesText(report.bytesFreed)],
      ['objects collected', String(report.objects.removed)],
    ]);
  },
};
