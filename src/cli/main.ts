#!/usr/bin/env node
// The `statek` executable. Hands over to the copy of Statek the project depends on, if that is another one. Imports only
// what every version of Node supports, so that an old one gets a clear message instead of a syntax error.
import * as modules from 'node:module';
import { nodeTooOld } from '../base/node-version.ts';

const problem = nodeTooOld(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  // A short command spends most of its time compiling its own code.
  modules.enableCompileCache();
  const { runProjectCopy, useOwnSources } = await import('./line/own-package.ts');
  useOwnSources();
  if (!(await runProjectCopy())) {
    const { runCommandLine } = await import('./line/run-command-line.ts');
    await runCommandLine(process.argv.slice(2));
  }
}
