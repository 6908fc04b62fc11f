// What `statek types` writes: everything a program finds, so that a compiler accepts right programs and no others.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { guestGlobals } from '../../src/agents/types/guest-globals.ts';
import { guestFunctions } from '../../src/workspace/variables/reserved-names.ts';
import { expectProcesses, json, statek, temporaryFolder } from './support/statek.ts';

expectProcesses();

const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');

function compiled(folder: string): string {
  try {
    return execFileSync(tsc, ['--project', folder], { encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

it('declares every guest function, and nothing that programs do not find', () => {
  const declared = [...guestGlobals.matchAll(/^declare (?:function|const) (\w+)/gm)].map(([, name]) => name);
  expect(new Set(declared)).toEqual(new Set(guestFunctions.typescript));
});

it('writes declarations that a compiler checks programs with, services included', async () => {
  const folder = temporaryFolder();
  const made = (await json(['types', join(folder, 'programs')])) as { files: string[] };
  expect(made.files).toHaveLength(2);
  const program = join(folder, 'programs/first.ts');
  writeFileSync(
    program,
    'const day: string = await ask<string>("Which day?");\nawait sleep(10);\nprint(greeter.hello(day));\nexit({ day });\n',
  );
  expect(compiled(join(folder, 'programs'))).toBe('');
  writeFileSync(program, 'await sleep("a day");\nwait(5);\n');
  const wrong = compiled(join(folder, 'programs'));
  expect(wrong).toMatch(/first\.ts\(1,13\): error TS2345/);
  expect(wrong).toMatch(/first\.ts\(2,1\): error TS2304/);
  // What the user changed stays, and what is generated is written anew.
  writeFileSync(join(folder, 'programs/tsconfig.json'), '{}');
  const again = (await json(['types', join(folder, 'programs')])) as { files: string[] };
  expect(again.files).toEqual([join(folder, 'programs/statek.d.ts')]);
  expect(readFileSync(join(folder, 'programs/tsconfig.json'), 'utf8')).toBe('{}');
});

it('comes with a new project', async () => {
  const folder = temporaryFolder();
  await statek(['init', '.', '--yes'], { folder });
  expect(compiled(join(folder, 'programs'))).toBe('');
  const other = temporaryFolder();
  await statek(['init', '.', '--yes', '--language', 'python'], { folder: other });
  expect(existsSync(join(other, 'programs/tsconfig.json'))).toBe(false);
});
