#!/usr/bin/env node
// The program `statek`. From the built package it hands over to the project's own copy, if that is another one.
import { useOwnSources, runProjectsOwn } from './own-package.ts';
import { runCommandLine } from './run-command-line.ts';

useOwnSources();
if (!(await runProjectsOwn())) await runCommandLine(process.argv.slice(2));
