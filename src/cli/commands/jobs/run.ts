// `statek run`: code in a workspace, or a job of a role, to its end.
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
  summary: 'run code in a workspace, or a job of a role, and follow it to its end',
  details: `A file (or -c CODE, or - for standard input) is a step of a workspace, which keeps its variables for the next one.
With --role a job is submitted and worked on here. ^C stops watching, not the program: it goes on where the store is
opened next. Ends with 1 if the step or the job failed.`,
  arguments: [{ syntax: '[file]', description: 'a .ts, .js or .py file; - is standard input' }],
  options: [
    { flags: '-c, --code <code>', description: 'code instead of a file' },
    { flags: '-w, --workspace <name>', description: "the workspace (default: 'main', or the job's own)" },
    {
      flags: '--language <language>',
      description: 'what the code is written in; the file tells, or typescript',
      choices: languageNames,
    },
    ...variableOptions,
    { flags: '-r, --role <role>', description: 'submit a job of this role' },
    { flags: '-m, --message <text>', description: 'the first message of the job' },
    { flags: '--input <json>', description: 'what the driver of the job is given: JSON, or @file' },
    { flags: '--id <id>', description: 'the id of the job: submitting twice makes one job' },
    { flags: '-l, --label <label>', description: 'a label of the job; may be repeated', repeats: true },
    { flags: '--priority <number>', description: '-100 to 100', parse: wholeNumber(-100, 100) },
    { flags: '--detach', description: 'do not wait: end when the step waits, or when the job is submitted' },
  ],
  examples: [
    ['run report.ts --workspace analysis', 'a file; its variables stay in the workspace'],
    ["run -c 'const n = 20; n + 1'", 'code, in the workspace main'],
    ['run --role clerk --message "Move the planning"', 'a job of an agent'],
    ['run --role clerk --workspace analysis', 'a job that goes on with the variables of a workspace'],
    ['run --role invoice --vars \'{"orders":[{"price":3}]}\' --json', 'a job, for a script'],
  ],
  async run(session, given) {
    if (given.has('role')) return runRole(session, given);
    for (const name of ['message', 'input', 'id', 'label', 'priority'])
      if (given.has(name)) throw new UsageError(`--${name} is for a job: give --role, too.`);
    return runStep(session, given);
  },
};

async function runRole(session: Session, given: Given): Promise<number> {
  for (const name of ['file', 'code', 'language'])
    if (given.has(name))
      throw new UsageError(`A job runs what its role says: leave out ${name === 'file' ? 'the file' : `--${name}`}.`);
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
    if (error instanceof Interrupted) out.note(`The step waits in the store; statek show ${name} shows it.`);
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
    if (file !== undefined) throw new UsageError('Give a file or -c CODE, not both.');
    return code;
  }
  if (file === undefined)
    throw new UsageError('Say what to run: a file, -c CODE, or --role ROLE. See statek run --help.');
  return file === '-' ? readStream(process.stdin) : readText(resolve(session.folder, file));
}

function languageOf(given: Given): LanguageName | undefined {
  const said = given.optional('language') as LanguageName | undefined;
  return said ?? (given.optional('file')?.endsWith('.py') === true ? 'python' : undefined);
}
