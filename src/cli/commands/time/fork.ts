// `statek fork`: a new job or workspace that starts at a commit of another one.
import { resolve } from 'node:path';
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { jsonOrText, readText } from '../../line/parse.ts';
import { findCommit, findTarget, findWorkspace } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';

export const fork: Command = {
  name: 'fork',
  group: 'History',
  summary: 'create a job or workspace that starts at a commit of another one',
  arguments: [
    { syntax: '<id>', description: 'a job or workspace' },
    { syntax: '[commit]', description: 'where it starts (default: the latest commit)' },
  ],
  options: [
    { flags: '--name <name>', description: 'the name of the new one' },
    {
      flags: '-s, --set <name=value>',
      description: 'a variable that starts with another value: JSON, text, or @file with either',
      repeats: true,
    },
    { flags: '--model <model>', description: 'of a job: another model' },
    { flags: '--prompt <text>', description: 'of a job: another system prompt, or @file' },
    { flags: '-m, --message <text>', description: 'of a job: said to it first' },
  ],
  examples: [
    ['fork 3f2a 5f3c --name what-if', 'try something else from that commit on'],
    ['fork 3f2a 5f3c --set total=0 --model openai/gpt-5', 'with another variable and model'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const { job } = await findTarget(kit, given.text('id'));
    const workspace = await findWorkspace(kit, given.text('id'));
    const commit = await findCommit(workspace, given.optional('commit') ?? 'HEAD');
    const [id, model, message] = [given.optional('name'), given.optional('model'), given.optional('message')];
    const vars = variablesIn(given.list('set'), session.folder);
    const promptText = given.optional('prompt');
    const prompt = promptText === undefined ? undefined : textOrFile(promptText, session.folder);
    if (job === undefined && [model, prompt, message].some((one) => one !== undefined))
      throw new UsageError(`'${workspace.id}' is a workspace of no job: --model, --prompt and --message are for jobs.`);
    const forked =
      job === undefined
        ? await workspace.fork(commit, { id, vars })
        : await job.fork(commit, { id, vars, model, prompt, message });
    if (out.isJson) out.json({ workspace: forked.id, from: workspace.id, commit });
    else out.line(harmless(forked.id));
  },
};

function variablesIn(given: readonly string[], folder: string): Readonly<Record<string, unknown>> | undefined {
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((text) => {
      const end = text.indexOf('=');
      if (end < 1) throw new UsageError(`--set: '${text}' is not name=value, as in --set total=0.`);
      return [text.slice(0, end), jsonOrText(textOrFile(text.slice(end + 1), folder))] as const;
    }),
  );
}

function textOrFile(text: string, folder: string): string {
  return text.startsWith('@') ? readText(resolve(folder, text.slice(1))) : text;
}
