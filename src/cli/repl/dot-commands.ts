// The REPL commands that start with a dot: they show the workspace and move through its history.
import type { Statek } from '../../kit/statek.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { timeText } from '../shown/describe.ts';
import { findCommit } from '../shown/identify.ts';
import type { Output } from '../output/output.ts';
import { harmless } from '../output/style.ts';
import { jsonValue, shownValue } from '../output/values.ts';
import { shownVariables } from '../shown/variables.ts';

export interface DotContext {
  readonly kit: Statek;
  readonly workspace: Workspace;
  readonly out: Output;
}

const help: readonly (readonly [line: string, what: string])[] = [
  ['.locals [NAME]', 'show the variables'],
  ['.log [NUMBER]', 'show the latest commits'],
  ['.at COMMIT [CODE]', 'show the variables at a commit, or run code there'],
  ['.fork [NAME]', 'create a workspace that starts here'],
  ['.rollback COMMIT', 'go back to a commit'],
  ['.break', 'discard an incomplete input'],
  ['.help', 'show this list'],
  ['.exit', 'leave; the workspace is kept'],
];

/** Runs a dot command. Returns a record for `--json`; undefined if there is no such command. */
export async function dotCommand(context: DotContext, line: string): Promise<Record<string, unknown> | undefined> {
  const [, name = '', rest = ''] = /^\.(\w+)\s*(.*)$/s.exec(line.trim()) ?? [];
  const argument = rest.trim();
  switch (name) {
    case 'locals':
      return locals(context, argument);
    case 'log':
      return log(context, argument);
    case 'at':
      return at(context, argument);
    case 'fork':
      return fork(context, argument);
    case 'rollback':
      return rollback(context, argument);
    case 'help':
      if (!context.out.isJson) context.out.facts(help);
      return { help: help.map(([command, what]) => ({ command, what })) };
    default:
      return undefined;
  }
}

async function locals({ kit, workspace, out }: DotContext, name: string): Promise<Record<string, unknown>> {
  const all = await shownVariables(kit, workspace);
  const shown = name === '' ? all : all.filter((one) => one.name === name);
  if (!out.isJson) out.facts(shown.map((one) => [harmless(one.name), one.text]));
  return { locals: Object.fromEntries(shown.map((one) => [one.name, one.json])) };
}

async function log({ workspace, out }: DotContext, limit: string): Promise<Record<string, unknown>> {
  const commits = await workspace.commits({ limit: /^\d+$/.test(limit) ? Math.max(1, Number(limit)) : 10 });
  if (!out.isJson)
    out.table(commits, [
      { title: 'COMMIT', text: ({ hash }) => hash.slice(0, 12) },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'STEP', text: ({ step }) => (step === null ? '' : String(step)), right: true },
      { title: 'TIME', text: ({ time }) => timeText(time) },
    ]);
  return { commits };
}

async function at({ workspace, out }: DotContext, argument: string): Promise<Record<string, unknown>> {
  const [commit = 'HEAD', ...code] = argument.split(/\s+/);
  const past = await workspace.at(await findCommit(workspace, commit === '' ? 'HEAD' : commit));
  if (code.length > 0) {
    const value = await past.run(argument.slice(commit.length).trim());
    if (!out.isJson) out.line(shownValue(value));
    return { commit: past.commit, value };
  }
  const variables = past.locals();
  if (!out.isJson) out.facts(Object.entries(variables).map(([name, value]) => [harmless(name), shownValue(value)]));
  return { commit: past.commit, locals: jsonValue(variables) };
}

async function fork({ workspace, out }: DotContext, name: string): Promise<Record<string, unknown>> {
  const forked = await workspace.fork(undefined, name === '' ? undefined : name);
  if (!out.isJson) out.line(`Created ${harmless(forked.id)}; statek repl ${harmless(forked.id)} opens it.`);
  return { fork: forked.id };
}

async function rollback({ workspace, out }: DotContext, commit: string): Promise<Record<string, unknown>> {
  const hash = await findCommit(workspace, commit === '' ? 'HEAD~1' : commit);
  await workspace.rollback(hash);
  if (!out.isJson) out.line(`Rolled back to ${hash.slice(0, 12)}.`);
  return { rollback: hash };
}
