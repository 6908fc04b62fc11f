// What is wrong with an expression, or with the name of a fork, is said once and in words of whoever wrote it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openKit } from './support/kits.ts';

it('says once that an expression is no code, without a step that is not there', async () => {
  const kit = await openKit();
  const typescript = await kit.workspace('t');
  await typescript.run('const x = 1');
  await expect(typescript.watch('x +')).rejects.toThrow(/^Unexpected token \(line 1, column 4\)/);
  const python = await kit.workspace('p', { language: 'python' });
  await python.run('x = 1');
  await expect(python.watch('x +')).rejects.toThrow('watch: the expression is not Python: SyntaxError');
  await expect(python.find('x +')).rejects.toThrow('find: the expression is not Python: SyntaxError');
});

it('says that the name of a fork is taken', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('a');
  await workspace.run('1');
  await kit.workspace('b');
  await expect(workspace.fork(undefined, { id: 'b' })).rejects.toMatchObject({
    code: 'WORKSPACE_STATE',
    message: "There is a job or workspace 'b' already. Choose another name for the fork.",
  });
});

it('does not hang where no folder can be made', () => {
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const run = (): Buffer =>
    execFileSync(process.execPath, [main, 'init', '/proc/statek', '--yes'], {
      stdio: 'pipe',
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
  expect(run).toThrow(/Cannot make \/proc\/statek/);
});
