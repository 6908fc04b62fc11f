// Rules in the comment before a class hold however its file came to run, and where the engine does not tell the comment nothing starts.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { expect, it } from 'vitest';
import { AccessRuleError } from '../../src/workspace/bridge/source-rules.ts';
import { openKit, storeFolder, valueOf } from '../workspace/support/kits.ts';

const index = new URL('../../src/index.ts', import.meta.url).href;

const rules = `/**
 * An account.
 * STATEK-ACL: + *
 * - pin
 */`;

/** A class in a script of its own. */
function classFrom(source: string): new () => object {
  return (compileFunction(source) as () => new () => object)();
}

const look = `
async function look(it, Statek) {
  const kit = await Statek.open({ store: 'memory:', services: { it } });
  const workspace = await kit.workspace('main', { vars: { it } });
  const { value } = await workspace.run('[it.owner, it.pin === undefined]');
  process.stdout.write(JSON.stringify(value));
  await kit.close();
}`;

/** Runs a program in a process of its own; returns what it printed. */
function run(name: string, program: string, flags: readonly string[] = []): { output: string; errors: string } {
  const folder = storeFolder();
  const file = join(folder, name);
  writeFileSync(file, program);
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, file], { encoding: 'utf8', cwd: folder });
  return { output: stdout, errors: stderr };
}

const typed = `
import { Statek } from '${index}';
${rules}
export class Account { owner: string = 'Ann'; pin: number = 1234; constructor(readonly: boolean = true) { void readonly; } }
${look.replace('(it, Statek)', '(it: any, Statek: any)')}
await look(new Account(), Statek);
`;

it.each([
  ['a TypeScript module', 'account.ts', typed, []],
  [
    'a CommonJS module',
    'account.cjs',
    `${rules}
exports.Account = class Account { owner = 'Ann'; pin = 1234; };
${look}
import('${index}').then(({ Statek }) => look(new exports.Account(), Statek));`,
    [],
  ],
  [
    'a class that a compiler has wrapped for its decorators',
    'account.mjs',
    `import { Statek } from '${index}';
${rules}
let Account = (() => {
  let decorators = [];
  var Account = class { owner = 'Ann'; pin = 1234; };
  return (() => { Account = decorators.reduce((made, one) => one(made), Account); return Account; })();
})();
${look}
await look(new Account(), Statek);`,
    [],
  ],
  ['a process that may do little', 'account.ts', typed, ['--permission', '--allow-fs-read=*', '--allow-worker']],
  ['a process that compiles no texts', 'account.ts', typed, ['--disallow-code-generation-from-strings']],
])('holds rules before a class of %s', (_kind, name, program, flags) => {
  expect(run(name, program, flags)).toMatchObject({ output: '["Ann",true]' });
});

it('starts nothing where the engine does not tell what stands before a class', () => {
  const silent = `
import v8 from 'node:v8';
import { syncBuiltinESMExports } from 'node:module';
v8.setFlagsFromString = () => undefined;
syncBuiltinESMExports();`;
  const { output, errors } = run('account.ts', typed, [
    '--import',
    `data:text/javascript,${encodeURIComponent(silent)}`,
  ]);
  expect(output).toBe('');
  expect(errors).toContain("The comment before the class 'Account' cannot be read in this process");
});

it('refuses a rule that stands before no class in the file of one', async () => {
  const Account = classFrom(`${rules}\nfunction make() { return class Account { owner = 'Ann'; }; }\nreturn make();`);
  await expect(openKit({ services: { it: new Account() } })).rejects.toThrow(
    /The file of the class 'Account' has a STATEK-ACL line that stands before no class, in the comment at line \d/,
  );
  await expect(openKit({ services: { it: new Account() } })).rejects.toThrow(AccessRuleError);
});

it('leaves the compiled engines of both languages as they are', async () => {
  const kit = await openKit();
  const script = await kit.workspace('script', {});
  const python = await kit.workspace('python', { language: 'python' });
  expect(await valueOf(script, 'let n = 0; for (let i = 0; i < 1000; i++) n += i; n')).toBe(499_500);
  expect(await valueOf(python, 'n = sum(range(1000))\nn')).toBe(499_500);
  for (let round = 0; round < 20; round++) {
    const Account = classFrom(`return (${rules}\nclass Account { owner = 'Ann'; pin = ${round}; })`);
    const services = { it: new Account() };
    const one = await (await openKit({ services })).workspace('main', { vars: services });
    expect(await valueOf(one, '[it.owner, it.pin]')).toEqual(['Ann', undefined]);
  }
  expect(await valueOf(script, 'n + 1')).toBe(499_501);
  expect(await valueOf(python, 'n + 1')).toBe(499_501);
});
