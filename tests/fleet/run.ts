// `npm run test:fleet`: many jobs of many agents in several processes, some of which are killed. The last line of its output
// is a summary in JSON, and its exit code says whether all was well.
import { parseArgs } from 'node:util';
import { fleet } from './fleet.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    agents: { type: 'string', default: '20' },
    workers: { type: 'string', default: '3' },
    kills: { type: 'string', default: '2' },
    lease: { type: 'string', default: '30000' },
  },
});
const numbers = [values.jobs, values.agents, values.workers, values.kills, values.lease].map(Number);
if (numbers.some((number) => !Number.isInteger(number) || number < 0)) {
  console.error('npm run test:fleet -- [--jobs 1000] [--agents 20] [--workers 3] [--kills 2] [--lease 30000]');
  process.exit(2);
}
const [jobs = 0, agents = 0, workers = 0, kills = 0, leaseMilliseconds = 0] = numbers;
const report = await fleet({
  jobs,
  agents,
  workers,
  kills,
  leaseMilliseconds,
  progress: (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K… ${text}`);
  },
});
for (const problem of report.problems.slice(0, 50)) console.error(problem);
console.log(JSON.stringify({ ...report, problems: report.problems.length }));
process.exit(report.problems.length === 0 ? 0 : 1);
