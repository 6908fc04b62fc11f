// Runs benchmarks by name: `npm run bench -- store`. Prints a table and, with --json or without a terminal, one JSON object
// as the last line. Everything compared is measured side by side in the same run.
import { parseArgs } from 'node:util';
import type { Measurement } from './support/measurement.ts';
import { table } from './support/table.ts';

const subjects: Record<string, () => Promise<{ measure(quick: boolean): Promise<readonly Measurement[]> }>> = {
  store: () => import('./store/measure.ts'),
  history: () => import('./history/measure.ts'),
  engine: () => import('./engine/measure.ts'),
  workspace: () => import('./workspace/measure.ts'),
  objects: () => import('./objects/measure.ts'),
  jobs: () => import('./jobs/measure.ts'),
  python: () => import('./python/measure.ts'),
  agents: () => import('./agents/measure.ts'),
  server: () => import('./server/measure.ts'),
  state: () => import('./state/measure.ts'),
  knowledge: () => import('./knowledge/measure.ts'),
  web: () => import('./web/measure.ts'),
  retention: () => import('./retention/measure.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const names = positionals.length > 0 ? positionals : Object.keys(subjects);
const unknown = names.filter((name) => !(name in subjects));
if (values.help || unknown.length > 0) {
  const text = `npm run bench -- [${Object.keys(subjects).join('|')}] [--json] [--quick]\n`;
  if (unknown.length > 0) process.stderr.write(`Unknown benchmark '${unknown.join("', '")}'.\n`);
  (values.help ? process.stdout : process.stderr).write(text);
  process.exit(values.help ? 0 : 2);
}

const figures: Record<string, number | string | boolean> = {};
const goals: Record<string, string> = {};
for (const name of names) {
  const subject = await subjects[name]?.();
  const measurements = (await subject?.measure(values.quick)) ?? [];
  process.stdout.write(`${table(name, measurements)}\n`);
  for (const { figure, value, goal } of measurements) {
    const key = names.length > 1 ? `${name}.${figure}` : figure;
    figures[key] = value;
    if (goal !== undefined) goals[key] = `${goal.met ? 'met' : 'missed'}: ${goal.text}`;
  }
}
if (values.json || !process.stdout.isTTY) process.stdout.write(`${JSON.stringify({ ...figures, goals })}\n`);
