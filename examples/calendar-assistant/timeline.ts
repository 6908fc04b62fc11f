// Everything that happened, in order, from what the store has kept: turns, commits, calls, decisions; and the processes.
import type { Job, JobStreamEvent } from 'statek';
import type { Worker } from './worker.ts';

export interface Moment {
  /** Milliseconds since the beginning. */
  readonly at: number;
  /** The job it belongs to, by the role of its agent; undefined for processes. */
  readonly lane: string | undefined;
  readonly kind: 'message' | 'turn' | 'commit' | 'call' | 'decision' | 'said' | 'process' | 'killed' | 'taken over';
  readonly text: string;
  readonly commit?: string;
}

export async function timelineOf(
  jobs: readonly Job[],
  workers: readonly Worker[],
  events: readonly JobStreamEvent[],
): Promise<readonly Moment[]> {
  const moments = [
    ...workers.flatMap(processMoments),
    ...(await Promise.all(jobs.map((job) => jobMoments(job, events)))).flat(),
  ];
  const start = Math.min(...moments.map(({ at }) => at));
  return moments.map((moment) => ({ ...moment, at: moment.at - start })).toSorted((a, b) => a.at - b.at);
}

function processMoments({ pid, started, killed }: Worker): Moment[] {
  const moment: Moment = { at: started, lane: undefined, kind: 'process', text: `process ${pid} opens the store` };
  if (killed === undefined) return [moment];
  return [moment, { at: killed, lane: undefined, kind: 'killed', text: `kill -9: process ${pid} is gone` }];
}

async function jobMoments(job: Job, events: readonly JobStreamEvent[]): Promise<Moment[]> {
  const lane = job.role;
  const [chat, calls, decisions] = await Promise.all([job.chat(), job.calls(), job.decisions()]);
  const moments: Moment[] = [];
  for (const item of chat) {
    const add = (kind: Moment['kind'], text: string): number => moments.push({ at: item.time, lane, kind, text });
    if (item.kind === 'message') add('message', `is told: ${item.text}`);
    if (item.kind === 'sent') add('said', `says: ${item.text}`);
    if (item.kind === 'reply') {
      const { input = 0, output = 0 } = item.usage?.tokens ?? {};
      add('turn', `turn ${item.turn}: the model replies, ${input} tokens in, ${output} out`);
    }
  }
  for (const { decided, approved, by } of decisions)
    if (decided !== undefined)
      moments.push({
        at: decided.getTime(),
        lane,
        kind: 'decision',
        text: `${by ?? 'somebody'} ${approved === true ? 'agrees' : 'does not agree'}`,
      });
  const asked = [
    ...decisions.map(({ asked: at, question }) => ({ at: at.getTime(), text: `asks: ${question}` })),
    ...calls
      .filter(({ by }) => by === 'program')
      .map(({ created, name }) => ({ at: created.getTime(), text: `calls ${shortName(name)}` })),
  ];
  for (const { name, by, attempts } of calls)
    for (const { started } of by === 'program' ? attempts.slice(1) : [])
      moments.push({ at: started, lane, kind: 'call', text: `calls ${shortName(name)} again, under the same key` });
  let before = 0;
  for (const { kind, time, commit, job: id, data } of events) {
    if (id !== job.id) continue;
    const at = time.getTime();
    if (kind === 'crashed') moments.push({ at, lane, kind: 'taken over', text: 'is taken over: its process is gone' });
    if (kind !== 'slice' || commit === undefined) continue;
    const since = before;
    const found = asked.find((one) => one.at > since && one.at <= at);
    const { step } = data as { step: number };
    const text = found?.text ?? (step === 0 ? 'begins' : `step ${step} is done`);
    moments.push({ at, lane, kind: 'commit', text, commit });
    before = at;
  }
  return moments;
}

/** Without the agent whose tool it is, and without what it was given. */
function shortName(name: string): string {
  return name.replace(/^\w+\./, '').replace('(…)', '');
}
