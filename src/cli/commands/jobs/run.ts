// `statek run`: runs code in a workspace, or a job of a role, until it ends.
import { resolve } from 'node:path';
import { text as readStream } from 'node:stream/consumers';
import type { LanguageName } from '../../../workspace/language-name.ts';
import { languageNames } from '../../../workspace/language-name.ts';
import type { Command, Given } from '../../line/command.ts';
import { stepRecord } from '../../shown/describe.ts';
import { Interrupted, UsageError } from '../../line/errors.ts';
import { exitCodes } from '../../line/exit-codes.ts';
import { followStep } from '../../shown/follow-step.ts';
import { givenVariables, variableOptions } from '../../shown/given-variables.ts';
import { readText, wholeNumber } from '../../line/parse.ts';
import { runJob } from '../../shown/run-job.ts';
import type { Session } from '../../session.ts';
import { inFull } from '../../shown/variables.ts';

export const run: Command = {
  name: 'run',
  group: 'Run',
  summary: 'run code in a workspace, or a job of a role, and follow it until it ends',
  details: `A file (or -c CODE, or - for standard input) runs as a step of a workspace, which keeps its variables for the next step.
With --role, submits a job and works on it in this process. ^C stops following, not the program: it continues when a
process next opens the store. Exits with 1 if the step or the job failed.`,
  arguments: [{ syntax: '[file]', description: 'a .ts, .js or .py file; - for standard input' }],
  options: [
    { flags: '-c, --code <code>', description: 'code instead of a file' },
    { flags: '-w, --workspace <name>', description: "the workspace (default: 'main', or the job's own)" },
    {
      flags: '--language <language>',
      description: 'the language of the code (default: by file name, otherwise typescript)',
      choices: languageNames,
    },
    ...variableOptions,
    { flags: '-r, --role <role>', description: 'submit a job of this role' },
    { flags: '-m, --message <text>', description: 'the first message of the job' },
    { flags: '--input <json>', description: 'the input of the job: JSON, or @file' },
    { flags: '--id <id>', description: 'the id of the job; submitting the same id twice creates one job' },
    { flags: '-l, --label <label>', description: 'a label of the job; repeatable', repeats: true },
    { flags: '--priority <number>', description: '-100 to 100 (default: 0)', parse: wholeNumber(-100, 100) },
    { flags: '--detach', description: 'exit as soon as the step waits or the job is submitted' },
  ],
  examples: [
    ['run report.ts --workspace analysis', 'run a file; its variables stay in the workspace'],
    ["run -c 'const n = 20; n + 1'", 'run code in the workspace main'],
    ['run --role clerk --message "Move the planning"', 'run a job of an agent'],
    ['run --role clerk --workspace analysis', 'run a job that continues with the variables of a workspace'],
    ['run --role invoice --vars \'{"orders":[{"price":3}]}\' --json', 'run a job from a script'],
  ],
  async run(session, given) {
    if (given.has('role')) return runRole(session, given);
    for (const name of ['message', 'input', 'id', 'label', 'priority'])
      if (given.has(name)) throw new UsageError(`--${name} applies to jobs only. Add --role ROLE.`);
    return runStep(session, given);
  },
};

async function runRole(session: Session, given: Given): Promise<number> {
  for (const name of ['file', 'code', 'language'])
    if (given.has(name))
      throw new UsageError(
        `${name === 'file' ? 'A file' : `--${name}`} cannot be combined with --role: the role decides what the job runs. Remove one of them.`,
      );
  return runJob(session, given, await givenVariables(session, given));
}

async function runStep(session: Session, given: Given): Promise<number> {
  const { out } = session;
  const source = await sourceOf(session, given);
  const vars = await givenVariables(session, given);
  const kit = await session.kit('work');
  const name = given.optional('workspace') ?? 'main';
  const workspace = await kit.workspace(name, { language: languageOf(given), vars });
  const begun = await workspace.run(source);
  let step = begun;
  try {
    step =
      given.flag('detach') && begun.status !== 'done' && begun.status !== 'failed'
        ? begun
        : await followStep(session, workspace, begun);
  } catch (error) {
    if (error instanceof Interrupted)
      out.note(`Stopped following. The step stays in the store; statek show ${name} shows it.`);
    throw error;
  }
  if (out.isJson) out.json({ workspace: name, ...stepRecord(step), value: (await inFull(kit, step.value)).json });
  else if (step.status === 'suspended' || step.status === 'queued')
    out.note(`The step is ${step.status}; statek show ${name} shows it.`);
  return step.status === 'failed' ? exitCodes.failed : exitCodes.ok;
}

async function sourceOf(session: Session, given: Given): Promise<string> {
  const file = given.optional('file');
  const code = given.optional('code');
  if (code !== undefined) {
    if (file !== undefined) throw new UsageError('Pass a file or -c CODE, not both.');
    return code;
  }
  if (file === undefined)
    throw new UsageError('Nothing to run. Pass a file, -c CODE, or --role ROLE; see statek run --help.');
  return file === '-' ? readStream(process.stdin) : readText(resolve(session.folder, file));
}

function languageOf(given: Given): LanguageName | undefined {
  const language = given.optional('language') as LanguageName | undefined;
  return language ?? (given.optional('file')?.endsWith('.py') === true ? 'python' : undefined);
}
