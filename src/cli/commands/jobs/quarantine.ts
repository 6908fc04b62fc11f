// `statek quarantine`: jobs around which something failed again and again, so that nobody works on them any more.
import type { Job } from '../../../agents/job.ts';
import type { Statek } from '../../../kit/statek.ts';
import type { Command } from '../../line/command.ts';
import { RefusedError, UsageError } from '../../line/errors.ts';
import { oneLine } from '../../output/style.ts';
import { jobRecord, shownId, timeText } from '../../shown/describe.ts';
import { findJob } from '../../shown/identify.ts';

export const quarantine: Command = {
  name: 'quarantine',
  group: 'Act',
  summary: 'jobs that are quarantined: list, retry, drop',
  details: `A job is quarantined if something around it, and not the job itself, failed again and again: an engine that is missing, a
row that is damaged. Remove the cause, then retry it: a job of an agent goes on where it was, a program is submitted again as a
new job. drop deletes it.`,
  arguments: [
    { syntax: '<what>', description: 'list, retry or drop' },
    { syntax: '[jobs...]', description: 'their ids; with --all, every one of them' },
  ],
  options: [{ flags: '--all', description: 'retry, drop: all that are quarantined' }],
  examples: [
    ['quarantine list', 'what is there, and why'],
    ['quarantine retry --all', 'when the cause is removed'],
  ],
  async run(session, given) {
    const { out } = session;
    const what = given.text('what');
    if (!['list', 'retry', 'drop'].includes(what))
      throw new UsageError(`statek quarantine has no action '${what}'. Use list, retry or drop.`);
    if (what === 'list' && (given.list('jobs').length > 0 || given.flag('all')))
      throw new UsageError('statek quarantine list shows all of them, and takes neither ids nor --all.');
    const kit = await session.kit('look');
    if (what === 'list') {
      const jobs = await quarantined(kit);
      if (out.isJson) out.json(jobs.map(jobRecord));
      else if (jobs.length === 0) out.note('No job is quarantined.');
      else
        out.table(jobs, [
          { title: 'JOB', text: ({ id }) => shownId(id, out), minWidth: 8 },
          { title: 'ROLE', text: ({ role }) => oneLine(role), minWidth: 6 },
          { title: 'SINCE', text: ({ updated }) => timeText(updated) },
          { title: 'WHY', text: ({ error }) => oneLine(error?.message ?? ''), minWidth: 16 },
        ]);
      return;
    }
    const ids = given.list('jobs');
    if ((ids.length === 0) !== given.flag('all'))
      throw new UsageError(`statek quarantine ${what} needs the ids of jobs, or --all.`);
    const jobs = given.flag('all') ? await quarantined(kit) : await Promise.all(ids.map((id) => findJob(kit, id)));
    for (const job of jobs)
      if (!isQuarantined(job))
        throw new RefusedError(`The job '${job.id}' is not quarantined. statek quarantine list shows those that are.`);
    const done: string[] = [];
    for (const job of jobs) done.push(what === 'retry' ? await retried(job) : await dropped(job));
    if (out.isJson) out.json({ [what === 'retry' ? 'retried' : 'dropped']: done });
    else out.lines(done.map((id) => shownId(id, out)));
  },
};

/** Only some drivers can start a job again; returns the id of the job that goes on. */
async function retried(job: Job): Promise<string> {
  try {
    await job.resume();
    return job.id;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'JOB_STATE') throw error;
    return job.again();
  }
}

async function dropped(job: Job): Promise<string> {
  await job.delete();
  return job.id;
}

function isQuarantined({ status, error }: Job): boolean {
  return status === 'DONE' && error?.code === 'QUARANTINED';
}

async function quarantined(kit: Statek): Promise<Job[]> {
  const found: Job[] = [];
  let cursor: string | undefined;
  do {
    const page = await kit.jobPage({ outcome: 'failed', limit: 500, cursor });
    found.push(...page.jobs.filter(isQuarantined));
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}
