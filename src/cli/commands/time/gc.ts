// `statek gc`: drops old commits and frees what nothing refers to.
import type { GcProgress } from '../../../history/history.ts';
import type { Statek } from '../../../kit/statek.ts';
import type { KitGcOptions, KitGcReport } from '../../../workspace/past/garbage.ts';
import type { Command } from '../../line/command.ts';
import { harmless } from '../../output/style.ts';
import { bytesText, parseBytes, parseDuration } from '../../output/time.ts';
import { wholeNumber } from '../../line/parse.ts';
import { rehearse } from './rehearse.ts';

const labels: Readonly<Record<GcProgress['phase'], string>> = {
  retention: 'commits',
  packs: 'packs',
  boots: 'boot images',
};

export const gc: Command = {
  name: 'gc',
  group: 'Maintain',
  summary: 'drop old commits and free unreferenced data; safe while other processes work',
  details: 'Without a --keep-… option no commit is dropped. Tagged commits and the latest one are always kept.',
  options: [
    {
      flags: '--keep-last <number>',
      description: 'keep this many of the newest commits of each program',
      parse: wholeNumber(1, 1_000_000_000),
    },
    { flags: '--keep-younger <time>', description: 'keep commits younger than this: 12h, 30d', parse: parseDuration },
    { flags: '--keep-bytes <size>', description: 'keep at most this much of each program: 500mb', parse: parseBytes },
    {
      flags: '--grace <time>',
      description: 'how long an unreachable object is kept (default: 1h)',
      parse: parseDuration,
    },
    {
      flags: '--dry-run',
      description: 'report what would go, and change nothing: it is done on a copy of the store in a temporary folder',
    },
    { flags: '--shrink', description: 'then give the freed space of a SQLite file back to the disk' },
  ],
  examples: [
    ['gc --keep-last 100 --keep-younger 30d', 'keep a month, and at least a hundred commits'],
    ['gc --keep-last 100 --dry-run', 'only say what would go'],
  ],
  async run(session, given) {
    const { out } = session;
    const retention = {
      last: given.number('keepLast'),
      youngerThan: given.number('keepYounger'),
      bytes: given.number('keepBytes'),
    };
    const isLimited = Object.values(retention).some((value) => value !== undefined);
    const grace = given.number('grace');
    const options: KitGcOptions = {
      ...(isLimited ? { retention } : {}),
      ...(grace === undefined ? {} : { graceMilliseconds: grace }),
      onProgress: ({ phase, done, total }) => out.progress(labels[phase], done, total),
      signal: session.signal,
    };
    const isRehearsal = given.flag('dryRun');
    const collect = async (kit: Statek): Promise<{ report: KitGcReport; shrunk: number | undefined }> => ({
      report: await kit.gc(options).finally(() => out.endProgress()),
      shrunk: given.flag('shrink') ? ((await kit.store.shrink?.()) ?? 0) : undefined,
    });
    const { report, shrunk } = isRehearsal
      ? await rehearse(session, collect)
      : await collect(await session.kit('look'));
    if (out.isJson) {
      out.json({
        ...report,
        ...(shrunk === undefined ? {} : { bytesShrunk: shrunk }),
        ...(isRehearsal ? { dryRun: true } : {}),
      });
      return;
    }
    if (isRehearsal) out.note('Nothing was changed. This is what would happen:');
    out.facts([
      ['commits dropped', String(report.commitsDropped)],
      ['packs removed', `${report.packsRemoved} (${report.packsStillNeeded} still needed)`],
      ['boot images removed', String(report.bootsRemoved)],
      ['rows removed', String(report.rowsRemoved)],
      ['freed', bytesText(report.bytesFreed)],
      ['objects collected', String(report.objects.removed)],
      ['damaged, left alone', report.damaged.length === 0 ? undefined : harmless(report.damaged.join('\n'))],
      ['given back to the disk', shrunk === undefined ? undefined : bytesText(shrunk)],
    ]);
  },
};
