#!/usr/bin/env node
// The program `statek`. From the built package it hands over to the project's own copy, if that is another one.
import { enableCompileCache } from 'node:module';

// Most of the time a short command takes goes into reading its own code, which is the same each time.
enableCompileCache();
const { runProjectsOwn, useOwnSources } = await import('./own-package.ts');
useOwnSources();
if (!(await runProjectsOwn())) {
  const { runCommandLine } = await import('./run-command-line.ts');
  await runCommandLine(process.argv.slice(2));
}
