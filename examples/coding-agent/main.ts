// A coding agent: it works on a repository in memory, through handles, until the compiler and the examples of the issue agree.
import { Agent, Statek, tool } from 'statek';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';
import { code, exampleModels } from '../models.ts';
import { transcript } from '../transcript.ts';
import { evaluate, typeCheck } from './checks.ts';
import { Repository } from './repository.ts';

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
  systemPrompt: `You mend a repository. \`repository\` has list(), read(path), search(text) and replace(path, before, after).
Look first, change little, then run checkTypes() and tryOut(path, expression). End with exit(summary) when both are fine.`,
  tools: [checkTypes, tryOut],
  metadata: { MODEL: 'script' },
});
const script = scriptedModel([
  code('ts', "print(repository.search('parsePrice'));", "print(repository.read('src/price.ts'));"),
  code(
    'ts',
    'const path = "src/price.ts";',
    "repository.replace(path, '(text: string)', \"(text: string, decimal: '.' | ',')\");",
    "repository.replace(path, 'Number.parseFloat(text)', \"Number(text.replaceAll(decimal === '.' ? ',' : '.', '').replace(decimal, '.'))\");",
    'repository.replace(path, \'"12.50"\', \'"12.50", or "12,50" where decimals follow a comma\');',
    'print(await checkTypes());',
  ),
  // The compiler has found the caller.
  code(
    'ts',
    "repository.replace('src/cart.ts', '(prices: string[])', \"(prices: string[], decimal: '.' | ',')\");",
    "repository.replace('src/cart.ts', 'parsePrice(price)', 'parsePrice(price, decimal)');",
    'const errors = await checkTypes();',
    "const tries = [await tryOut(path, \"parsePrice('1.234,50', ',')\"), await tryOut(path, \"parsePrice('12.50', '.')\")];",
    'print(errors.length, tries);',
  ),
  code('ts', "exit('parsePrice and total take the separator of decimals.')"),
]);

const kit = await Statek.open({
  store: 'memory:',
  classes: [Repository],
  agents: [coder],
  models: exampleModels({ script }),
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
