// What the killed process and the one after it have in common: models that log what they are asked, and a tool that logs
// when it is called and then takes its time. In the mode `delegate` the tool is called by another agent, which was asked.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, tool } from '../../../src/index.ts';
import { scriptedModel, type ScriptedModel } from '../../../src/testing.ts';
import { py, ts } from './fences.ts';

export type KillMode = 'request' | 'code' | 'delegate';
export type KillLanguage = 'typescript' | 'python';

const code = {
  typescript: {
    first: ts('globalThis.runs = (globalThis.runs ?? 0) + 1;'),
    call: ts('let how = "none";', 'try { how = await settle({}) } catch (error) { how = error.code }', 'print(how)'),
    delegate: ts('let how = await delegate("other")'),
    last: ts('exit([runs, how])'),
    other: ts('exit(await settle({}).catch((error) => error.code))'),
  },
  python: {
    first: py('runs = globals().get("runs", 0) + 1'),
    // The wait is in the middle of things: a generator in a function that sorts, in a try.
    call: py(
      'def settled():',
      '    try:',
      '        return sorted((settle() for _ in range(1)), key=len)[0]',
      '    except OutcomeUnknownError as error:',
      '        return error.code',
      'how = settled()',
      'print(how)',
    ),
    delegate: py('how = [delegate("other") for _ in range(1)][0]'),
    last: py('exit([runs, how])'),
    other: py(
      'try:',
      '    how = settle()',
      'except OutcomeUnknownError as error:',
      '    how = error.code',
      'exit(how)',
    ),
  },
};

function hanging(hang: (() => void) | undefined): Promise<void> {
  hang?.();
  return hang === undefined ? Promise.resolve() : new Promise<never>(() => setInterval(() => undefined, 1000));
}

export function killModels(
  folder: string,
  mode: KillMode,
  language: KillLanguage,
  hang: (() => void) | undefined,
): Record<string, ScriptedModel> {
  const { first, call, delegate, last, other } = code[language];
  const logged = (reply: string) => async (): Promise<string> => {
    appendFileSync(join(folder, 'log'), 'asked\n');
    await hanging(mode === 'request' ? hang : undefined);
    return reply;
  };
  const replies = [`${first}\nand then\n${mode === 'delegate' ? delegate : call}`, last];
  return {
    script: scriptedModel(replies.map(logged), { by: 'turn' }),
    other: scriptedModel([logged(other)], { by: 'turn', name: 'other' }),
  };
}

export function killAgents(
  folder: string,
  mode: KillMode,
  language: KillLanguage,
  hang: (() => void) | undefined,
): readonly Agent[] {
  const settle = tool({
    name: 'settle',
    execute: async () => {
      appendFileSync(join(folder, 'log'), 'called\n');
      await hanging(mode === 'request' ? undefined : hang);
      return 'settled';
    },
  });
  const options = { tools: [settle], language };
  return [
    new Agent({ role: 'helper', metadata: { MODEL: 'script' }, ...options }),
    new Agent({ role: 'other', metadata: { MODEL: 'other' }, ...options }),
  ];
}
