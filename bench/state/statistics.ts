// Statistics of a million calls: the log is folded into summaries, and a question reads those.
import { ToolStateManager } from '../../src/state.ts';
import { openStore } from '../../src/store/open.ts';
import { callLogRows, type LoggedCall } from '../../src/workspace/futures/call-log.ts';
import { inBenchFolder } from '../support/folder.ts';
import { milliseconds, percentile, progress, round, type Measurement } from '../support/measurement.ts';

const tools = 20;
const roles = 5;
const perRow = 100;
const rowsPerCommit = 50;
const hours = 24 * 30;
const goal = 50;

export function measureStatistics(quick: boolean): Promise<readonly Measurement[]> {
  return inBenchFolder('statistics', (folder) => measured(folder, quick ? 50_000 : 1_000_000));
}

async function measured(folder: string, calls: number): Promise<readonly Measurement[]> {
  const store = await openStore(folder);
  const manager = new ToolStateManager({ store });
  const begin = Date.UTC(2026, 0, 1);
  try {
    await manager.getToolStats();
    const folding: number[] = [];
    const perCommit = perRow * rowsPerCommit;
    for (let made = 0; made < calls; made += perCommit) {
      progress(`statistics: ${made} of ${calls} calls`);
      await store.commit([{ writes: rowsFrom(made, calls, begin) }]);
      // Whoever works folds now and then; a question has little to catch up on.
      folding.push(await milliseconds(() => manager.getToolStats('tool 1')));
    }
    const asked: number[] = [];
    for (let time = 0; time < 20; time++) asked.push(await milliseconds(() => manager.getToolStats()));
    const one: number[] = [];
    for (let time = 0; time < 20; time++)
      one.push(await milliseconds(() => manager.getToolStats('tool 7', { role: 'role 2' })));
    const month: number[] = [];
    const span = { since: new Date(begin + 5.5 * 3_600_000), until: new Date(begin + (hours - 7) * 3_600_000) };
    for (let time = 0; time < 20; time++) month.push(await milliseconds(() => manager.getToolStats(undefined, span)));
    const { totalExecutions } = await manager.getToolStats();
    if (totalExecutions !== calls) throw new Error(`${totalExecutions} of ${calls} calls were counted.`);
    const figure = (name: string, what: string, samples: readonly number[]): Measurement => ({
      figure: name,
      value: round(percentile(samples, 0.95)),
      unit: 'ms',
      what,
      goal: { text: `under ${goal} ms`, met: percentile(samples, 0.95) < goal },
    });
    return [
      figure('statisticsAll', `statistics of all tools over ${calls} calls, p95`, asked),
      figure('statisticsOne', `statistics of one tool and role over ${calls} calls, p95`, one),
      figure('statisticsSpan', `statistics of all tools over 29 days, p95`, month),
      {
        figure: 'statisticsFold',
        value: round(calls / (folding.reduce((sum, time) => sum + time, 0) / 1000)),
        unit: 'calls/s',
        what: 'calls folded into summaries and the history, beside the work',
      },
    ];
  } finally {
    progress('');
    await manager.close();
    await store.close();
  }
}

function rowsFrom(
  made: number,
  calls: number,
  begin: number,
): { kind: 'put'; collection: typeof callLogRows; key: (string | number)[]; value: LoggedCall[] }[] {
  return Array.from({ length: rowsPerCommit }, (_row, row) => {
    const first = made + row * perRow;
    const value = Array.from({ length: perRow }, (_call, index): LoggedCall => {
      const number = first + index;
      const started = begin + Math.floor((number / calls) * hours * 3_600_000);
      return {
        id: `job ${Math.floor(number / 10)}/${number}`,
        tool: `tool ${number % tools}`,
        job: `job ${Math.floor(number / 10)}`,
        role: `role ${number % roles}`,
        started,
        ended: started + ((number * 7919) % 5000),
        outcome: number % 17 === 0 ? 'failed' : 'completed',
        ...(number % 5 === 0 ? { cached: true as const } : {}),
      };
    });
    return {
      kind: 'put' as const,
      collection: callLogRows,
      key: ['', value.at(-1)?.ended ?? 0, `row ${first}`],
      value,
    };
  });
}
