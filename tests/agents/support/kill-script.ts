// What the killed process and the one after it have in common: a model that logs what it is asked, and a tool that logs
// when it is called and then takes its time.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from '../../../src/index.ts';
import { scriptedModel, type ScriptedModel } from '../../../src/testing.ts';
import { ts } from './fences.ts';

export function killScript(folder: string, hang: (() => void) | undefined): ScriptedModel {
  const logged = (reply: string) => async (): Promise<string> => {
    appendFileSync(join(folder, 'log'), 'asked\n');
    hang?.();
    if (hang !== undefined) await new Promise<never>(() => setInterval(() => undefined, 1000));
    return reply;
  };
  return scriptedModel(
    [
      logged(
        ts(
          'globalThis.runs = (globalThis.runs ?? 0) + 1;',
          'let how = "none";',
          'try { how = await settle({}) } catch (error) { how = error.code }',
          'print(how)',
        ),
      ),
      logged(ts('exit([runs, how])')),
    ],
    { by: 'turn' },
  );
}

export function settling(folder: string, hang: (() => void) | undefined): (input: unknown) => Promise<string> {
  return tool({
    name: 'settle',
    execute: async () => {
      appendFileSync(join(folder, 'log'), 'called\n');
      hang?.();
      if (hang !== undefined) await new Promise<never>(() => setInterval(() => undefined, 1000));
      return 'settled';
    },
  });
}
