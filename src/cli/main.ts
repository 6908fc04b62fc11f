#!/usr/bin/env node
// The program `statek`. From the built package it hands over to the project's own copy, if that is another one. It imports only
// what every Node has, so that one that is too old is told so instead of stumbling over the first thing it does not know.
import * as modules from 'node:module';
import { nodeTooOld } from '../base/node-version.ts';

const wrong = nodeTooOld(process.versions.node);
if (wrong !== undefined) {
  process.stderr.write(`${wrong}\n`);
  process.exitCode = 1;
} else {
  // Most of the time a short command takes goes into reading its own code, which is the same each time.
  modules.enableCompileCache();
  const { runProjectsOwn, useOwnSources } = await import('./line/own-package.ts');
  useOwnSources();
  if (!(await runProjectsOwn())) {
    const { runCommandLine } = await import('./line/run-command-line.ts');
    await runCommandLine(process.argv.slice(2));
  }
}
