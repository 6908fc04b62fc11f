// `statek forget`: removes what is known of a person.
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';

export const forget: Command = {
  name: 'forget',
  group: 'Maintain',
  summary:
    'remove the jobs with a label and those they started, durable objects with it as a tag, and facts remembered for it',
  details: `Jobs that are at work are cancelled first, and get ten seconds for it while a worker runs. It prints what is left, and exits
with 1 if a job could not be removed. --dry-run only counts.`,
  options: [
    { flags: '--label <label>', description: 'whose data: user:42' },
    { flags: '--dry-run', description: 'remove nothing, and say how much there is' },
  ],
  examples: [
    ['forget --label user:42 --dry-run', 'how much there is'],
    ['forget --label user:42', 'remove it'],
  ],
  async run(session, given) {
    const { out } = session;
    const label = given.optional('label');
    if (label === undefined) throw new UsageError('forget needs a label, as in --label user:42.');
    const kit = await session.kit('look');
    const dryRun = given.flag('dryRun');
    const report = await kit.forget({ label, dryRun });
    if (out.isJson) out.json(report);
    else {
      out.facts([
        [dryRun ? 'jobs' : 'jobs removed', String(report.jobs)],
        [dryRun ? 'objects' : 'objects removed', String(report.objects)],
        [dryRun ? 'facts' : 'facts removed', String(report.facts)],
      ]);
      out.lines(report.left.map((text) => `Left: ${text}`));
    }
    return report.left.some((text) => text.startsWith('The job')) ? 1 : 0;
  },
};
