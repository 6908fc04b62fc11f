// A fleet run: many jobs of many agents, several worker processes, some of which are killed with -9. In the end every job
// has its right result, and turns and costs add up exactly to what the model says it served.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models, Statek } from '../../src/index.ts';
import { agentsOf, fleetModel, planOf, setAgents, styleOf, usageOf, type Served } from './world.ts';

export interface FleetOptions {
  readonly jobs: number;
  readonly agents: number;
  readonly workers: number;
  readonly kills: number;
  /** Long enough that a slow machine does not look like a dead one: what is asked again without a kill is a problem. */
  readonly leaseMilliseconds: number;
  progress?(text: string): void;
}

export interface FleetReport {
  readonly jobs: number;
  readonly agents: number;
  readonly workers: number;
  readonly kills: number;
  readonly turns: number;
  /** Replies the model gave, and those that were asked for again because their process died. */
  readonly served: number;
  readonly repeated: number;
  readonly cost: number;
  readonly turnsPerSecond: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

const pauseMilliseconds = 200;
const longestMilliseconds = 20 * 60_000;

export async function fleet(options: FleetOptions): Promise<FleetReport> {
  const { jobs, agents: agentCount, workers, kills, leaseMilliseconds, progress } = options;
  const folder = mkdtempSync(join(tmpdir(), 'statek-fleet-'));
  const processes: ChildProcess[] = [];
  let started = 0;
  const start = async (): Promise<void> => {
    const child = fork(join(import.meta.dirname, 'worker-child.ts'), [
      folder,
      String(agentCount),
      String(started++),
      String(leaseMilliseconds),
    ]);
    processes.push(child);
    await once(child, 'message');
  };
  setAgents(agentCount);
  const agents = agentsOf(agentCount);
  const kit = await Statek.open({
    store: join(folder, 'store'),
    agents,
    models: new Models({ models: { fleet: fleetModel(join(folder, 'served-none')) }, env: {} }),
    settings: { logLevel: 'silent' },
  });
  const problems: string[] = [];
  let killed = 0;
  const begun = performance.now();
  try {
    for (const [index, agent] of agents.entries()) {
      const own = Array.from({ length: jobs }, (_, job) => job).filter((job) => job % agentCount === index);
      await kit.submitAll(
        agent,
        own.map((job) => ({ id: `job ${job}`, message: `Job ${job}.` })),
      );
    }
    await Promise.all(Array.from({ length: workers }, start));
    for (;;) {
      const done = await kit.countJobs({ status: 'DONE' });
      progress?.(`${done} of ${jobs} jobs, ${killed} kills`);
      // Kills are spread over the run.
      if (killed < kills && done >= ((killed + 1) * jobs) / (kills + 2)) {
        const [victim] = processes.splice(0, 1);
        const exited = victim && once(victim, 'exit');
        victim?.kill('SIGKILL');
        await exited;
        killed++;
        await start();
      }
      if (done === jobs) break;
      if (performance.now() - begun > longestMilliseconds) {
        problems.push(`Only ${done} of ${jobs} jobs were done in time.`);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
    const seconds = (performance.now() - begun) / 1000;
    for (const child of processes) child.kill('SIGKILL');
    if (killed < kills) problems.push(`Only ${killed} of ${kills} processes could be killed.`);
    const served = servedIn(folder);
    const sums = await checkJobs(kit, jobs, served, problems);
    const repeated = served.length - sums.turns;
    // A process that is killed has no more requests under way than jobs it works on.
    if (repeated > killed * 50) problems.push(`${repeated} replies were asked for again, which is too many.`);
    return {
      jobs,
      agents: agentCount,
      workers,
      kills: killed,
      ...sums,
      served: served.length,
      repeated,
      turnsPerSecond: Math.round(sums.turns / seconds),
      seconds: Math.round(seconds),
      problems,
    };
  } finally {
    for (const child of processes) child.kill('SIGKILL');
    await kit.close({ graceMilliseconds: 0 });
    rmSync(folder, { recursive: true, force: true });
  }
}

function servedIn(folder: string): Served[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('served-'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Served);
}

async function checkJobs(kit: Statek, jobs: number, served: readonly Served[], problems: string[]) {
  const given = new Set(served.map(({ job, turn }) => `${job} ${turn}`));
  let turns = 0;
  let cost = 0;
  for (let number = 0; number < jobs; number++) {
    const job = await kit.job(`job ${number}`);
    const plan = planOf(number);
    const wanted: unknown = styleOf(number) === 'MD_DIALOG' ? String(plan.result) : plan.result;
    const result = job.outcome === 'completed' ? await job.result() : job.error?.message;
    if (result !== wanted) problems.push(`job ${number}: ${JSON.stringify(result)} instead of ${String(wanted)}`);
    const usage = await job.usage();
    if (usage.turns.length !== plan.turns) problems.push(`job ${number}: ${usage.turns.length} turns`);
    for (const { turn, tokens, cost: paid } of usage.turns) {
      const expected = usageOf(number, turn);
      if (tokens.input !== expected.input || tokens.output !== expected.output || paid?.amount !== expected.cost)
        problems.push(`job ${number}, turn ${turn}: the usage is not what was served`);
      if (!given.delete(`${number} ${turn}`)) problems.push(`job ${number}, turn ${turn}: nobody served it`);
    }
    turns += usage.turns.length;
    cost += usage.cost;
  }
  for (const left of given) problems.push(`Turn ${left} was served and is not in the store.`);
  return { turns, cost };
}
