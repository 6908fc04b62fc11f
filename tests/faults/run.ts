// `npm run test:faults`: what becomes of running jobs when something around them fails and comes back. Prints the calls of
// each second; the last line is a summary in JSON, and the exit code says whether work came back to its old speed.
import { parseArgs } from 'node:util';
import { postgresPlace, redisPlace, sqlitePlace, type Place } from './places.ts';
import { fullSpeed, trial, type TrialReport, type Workers } from './trial.ts';

const usage = 'npm run test:faults -- [--store sqlite|postgres|redis|all] [--fault NAME] [--seconds 10] [--lease 5000]';

interface Fault {
  readonly workers?: number;
  readonly movesClock?: boolean;
  /** Undefined where it cannot be tried. */
  make(place: Place): ((workers: Workers) => Promise<void>) | undefined;
}

const faults: Readonly<Record<string, Fault>> = {
  'refuse-8': { make: () => refusing(8000) },
  'refuse-30': { make: () => refusing(30_000) },
  'block-10': {
    make: () => async (workers) => {
      workers.order({ kind: 'block', milliseconds: 10_000 });
      await pass(10_000);
    },
  },
  'disk-full': {
    make: ({ fill, server }) =>
      fill &&
      (async () => {
        const free = fill();
        await pass(10_000);
        free();
        // A server that could not write its log has ended; somebody starts it again.
        await server?.start().catch(() => undefined);
      }),
  },
  'connections-ended': {
    make: ({ endConnections }) =>
      endConnections &&
      (async () => {
        for (let index = 0; index < 400; index++) {
          await endConnections();
          await pass(25);
        }
      }),
  },
  'answers-lost': {
    make: ({ loseAnswers }) =>
      loseAnswers &&
      (async () => {
        const end = loseAnswers();
        await pass(10_000);
        end();
      }),
  },
  'memory-full': {
    make: ({ fillMemory }) =>
      fillMemory &&
      (async () => {
        const free = await fillMemory();
        await pass(10_000);
        await free();
      }),
  },
  'server-frozen': {
    make: ({ freeze }) =>
      freeze &&
      (async () => {
        const thaw = freeze();
        await pass(15_000);
        thaw();
      }),
  },
  failover: { make: ({ failOver }) => failOver },
  'server-fast': { make: (place) => restarting(place, 'fast') },
  'server-immediate': { make: (place) => restarting(place, 'immediate') },
  'process-stopped': {
    workers: 2,
    make: () => async (workers) => {
      await workers.nextCall();
      const child = workers.first();
      child.kill('SIGSTOP');
      await pass(lease * 2);
      child.kill('SIGCONT');
    },
  },
  'process-killed': {
    workers: 2,
    make: () => async (workers) => {
      await workers.nextCall();
      workers.first().kill('SIGKILL');
      await workers.add();
      await pass(1000);
    },
  },
  'clock-forwards': {
    movesClock: true,
    make: () => async (workers) => {
      workers.order({ kind: 'clock', offset: 3_600_000 });
      await pass(5000);
    },
  },
  'clock-back': {
    movesClock: true,
    make: () => async (workers) => {
      workers.order({ kind: 'clock', offset: 3_600_000 });
      await pass(5000);
      workers.order({ kind: 'clock', offset: 0 });
      await pass(2000);
    },
  },
};

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'all' },
    fault: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '10' },
    lease: { type: 'string', default: '5000' },
  },
});
const seconds = Number(values.seconds);
const lease = Number(values.lease);
const names = values.fault ?? Object.keys(faults);
if (
  ![seconds, lease].every((number) => Number.isInteger(number) && number > 0) ||
  !['sqlite', 'postgres', 'redis', 'all'].includes(values.store) ||
  names.some((name) => !(name in faults))
) {
  console.error(`${usage}\nFaults: ${Object.keys(faults).join(', ')}`);
  process.exit(2);
}

const stores = values.store === 'all' ? ['sqlite', 'postgres', 'redis'] : [values.store];
const results: (TrialReport & { store: string; fault: string; passed: boolean })[] = [];
const skipped: string[] = [];
for (const store of stores) {
  for (const name of names) await tryOne(store, name);
}
for (const line of skipped) console.error(`SKIPPED: ${line}`);
const failed = results.filter(({ passed }) => !passed);
console.log(JSON.stringify({ results, skipped, failed: failed.map(({ store, fault }) => `${store} ${fault}`) }));
process.exit(failed.length === 0 ? 0 : 1);

async function tryOne(store: string, name: string): Promise<void> {
  const { make, workers = 1, movesClock = false } = faults[name] as Fault;
  const place = await { sqlite: sqlitePlace, postgres: postgresPlace, redis: redisPlace }[
    store as 'sqlite' | 'postgres' | 'redis'
  ]();
  if (place === undefined) {
    skipped.push(`${store} ${name}: there is no server to start`);
    return;
  }
  try {
    const fault = movesClock && place.hasServerClock === true ? undefined : make(place);
    if (fault === undefined) {
      skipped.push(`${store} ${name}: cannot be made here`);
      return;
    }
    const title = `${store} ${name}`;
    const report = await trial({
      place: place.place,
      leaseMilliseconds: lease,
      workers,
      movesClock,
      seconds,
      fault,
      second: (line) => console.log(`${title.padEnd(28)} ${line}`),
    });
    const passed = report.ratio >= fullSpeed && report.problems.length === 0;
    const verdict = `${report.before} calls before, ${report.after} after (${report.ratio.toFixed(2)} ×), silent for ${report.silence} ms, longest pause of a job ${report.longestPause} ms`;
    console.log(`${passed ? '✓' : '✗'} ${title}: ${verdict} ${report.problems.join('; ')}`);
    results.push({ store, fault: name, passed, ...report });
  } finally {
    await place.dispose();
  }
}

function refusing(milliseconds: number): (workers: Workers) => Promise<void> {
  return async (workers) => {
    workers.order({ kind: 'refuse', on: true });
    await pass(milliseconds);
    workers.order({ kind: 'refuse', on: false });
  };
}

function restarting({ server }: Place, mode: 'fast' | 'immediate'): (() => Promise<void>) | undefined {
  return (
    server &&
    (async () => {
      await server.stop(mode);
      await pass(20_000);
      await server.start();
    })
  );
}

function pass(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
