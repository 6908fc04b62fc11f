// A coding agent: it works on a repository in memory, through handles, until the compiler and the examples of the issue agree:
//   npm run example coding-agent [-- --python]
import { parseArgs } from 'node:util';
import { Agent, Statek, tool } from 'statek';
import { z } from 'zod';
import { exampleModels } from '../models.ts';
import { transcript } from '../transcript.ts';
import { evaluate, typeCheck } from './checks.ts';
import { Repository } from './repository.ts';
import { scripts } from './script.ts';

const { values } = parseArgs({ options: { python: { type: 'boolean', default: false } } });
const language = values.python ? 'python' : 'typescript';
const files = {
  'src/price.ts': `/** Reads a price such as "12.50". */
export function parsePrice(text: string): number {
  return Number.parseFloat(text);
}
`,
  'src/cart.ts': `import { parsePrice } from './price.ts';

export function total(prices: string[]): number {
  return prices.reduce((sum, price) => sum + parsePrice(price), 0);
}
`,
};
const issue = `In Germany prices are written "1.234,50", and parsePrice reads 1.234. Let it take the separator of decimals
as a second parameter, "." or ",". A cart has prices of one country, so total needs it, too.`;

const repository = (): Repository => new Repository(); // a singleton: the one of the kit
const checkTypes = tool({
  name: 'checkTypes',
  description: 'Checks the whole repository with the TypeScript compiler; returns its errors.',
  idempotent: true,
  execute: async () => typeCheck(Object.fromEntries(repository().files)),
});
const tryOut = tool({
  name: 'tryOut',
  description: 'Runs a file that imports nothing in a sandbox, and returns the value of an expression.',
  input: z.object({ path: z.string(), expression: z.string() }),
  idempotent: true,
  execute: async ({ path, expression }) => evaluate(repository().files.get(path) ?? '', expression),
});

const coder = new Agent({
  role: 'coder',
  language, // of the code it works with; the repository is in TypeScript in any case
  systemPrompt: `You mend a repository. \`repository\` has list(), read(path), search(text) and replace(path, before, after).
Look first, change little, then run ${language === 'python' ? 'check_types()' : 'await checkTypes()'} and the file itself in a sandbox. End with exit(summary) when both are fine.`,
  tools: [checkTypes, tryOut],
  metadata: { MODEL: 'script' },
});
const kit = await Statek.open({
  store: 'memory:',
  classes: [Repository],
  agents: [coder],
  models: exampleModels({ script: scripts[language] }),
});
await kit.transaction(() => {
  for (const [path, text] of Object.entries(files)) repository().files.set(path, text);
});
const before = await kit.store.revision();
const job = await kit.submit(coder, { message: issue, vars: { repository: repository() } });
const result = await job.result();
console.log(await transcript(job));
console.log(`\n${String(result)}`);

// Every version of an object is kept: the difference needs no copy that somebody made in time.
const old = await kit.at(before, () => Object.fromEntries(repository().files));
for (const [path, text] of repository().files) {
  const [was, is] = [(old[path] ?? '').split('\n'), text.split('\n')];
  for (const line of was.filter((one) => !is.includes(one))) console.log(`${path}  - ${line}`);
  for (const line of is.filter((one) => !was.includes(one))) console.log(`${path}  + ${line}`);
}
await kit.close();
