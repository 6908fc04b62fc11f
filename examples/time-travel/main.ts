// Debugging with time travel: a variable is wrong at the end. Find the commit where it went wrong, look at what changed there,
// fork just before it, and go on from there with better code.
import { Agent, Models, Statek, type Job } from 'statek';
import { scriptedModel } from 'statek/testing';

const code = (...lines: string[]): string => `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;
const script = scriptedModel([
  code('const stock = { lamp: 12, chair: 7, desk: 3 };', 'let sold = 0;'),
  ...['lamp', 'chair'].map((name) => code(`stock.${name} -= 2;`, 'sold += 2;')),
  code('const order = { desk: "1" };', 'sold += order.desk;', 'stock.desk -= order.desk;'), // a text: 4 + "1" is "41"
  code('stock.lamp -= 1;', 'sold += 1;'),
  code('exit(sold)'),
]);
const clerk = new Agent({ role: 'clerk', systemPrompt: 'You keep the stock.', metadata: { MODEL: 'script' } });
const kit = await Statek.open({ store: 'memory:', agents: [clerk], models: new Models({ models: { script } }) });

const job = await kit.submit(clerk, { message: 'Book the orders of today.' });
console.log('result:', await job.result()); // it should be 6

const { good, bad } = await firstCommitWhere(job, ({ sold }) => sold !== undefined && typeof sold !== 'number');
console.log('it went wrong in step', bad.step, 'of', (await job.commits())[0]?.step);
for (const { name, before = '-', after = '-' } of await job.diff(good.hash, bad.hash))
  console.log(`  ${name}: ${before} → ${after}`);
console.log(
  '  sold was a',
  typeof (await job.at(good.hash)).locals()['sold'],
  'and became a',
  typeof (await job.at(bad.hash)).locals()['sold'],
);

// A workspace to try things in; `job.fork(good.hash)` would be a job of the agent. Everything before the commit is shared.
const fork = await (await job.workspace()).fork(good.hash);
await fork.run('const order = { desk: "1" }; sold += Number(order.desk); stock.desk -= Number(order.desk);');
await fork.run('stock.lamp -= 1; sold += 1;');
const mended = await fork.locals();
console.log('the fork:', { stock: mended['stock'], sold: mended['sold'] });
console.log('the job: ', { sold: await job.local('sold') }, 'as it was');
await kit.close();

/** Bisects: a handful of looks, however long the history is. */
async function firstCommitWhere(suspect: Job, isWrong: (locals: Readonly<Record<string, unknown>>) => boolean) {
  const commits = (await suspect.commits()).toReversed();
  let [low, high] = [0, commits.length - 1];
  let looks = 0;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const past = await suspect.at(commits[middle]?.hash ?? '');
    looks++;
    if (isWrong(past.locals())) high = middle;
    else low = middle;
  }
  console.log(`looked at ${looks} of ${commits.length} commits`);
  const [before, after] = [commits[low], commits[high]];
  if (before === undefined || after === undefined) throw new Error('There is no history.');
  return { good: before, bad: after };
}
