// Reads scripts from files: a JSON array of replies, or text with replies separated by lines of ten or more dashes.
import { readFileSync } from 'node:fs';
import { ModelScriptError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { faultNames } from './scripted-faults.ts';
import { replyNames, type ScriptStep } from './scripted-reply.ts';

export function readScript(file: string): ScriptStep[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ModelScriptError(`Cannot read the script '${file}': ${(error as Error).message}`, { file }, error);
  }
  if (!file.endsWith('.json')) return text.split(/^-{10,}\r?\n/m).map((reply) => reply.replace(/\r?\n$/, ''));
  let steps: unknown;
  try {
    steps = JSON.parse(text);
  } catch (error) {
    throw new ModelScriptError(`The script '${file}' is not JSON: ${(error as Error).message}`, { file }, error);
  }
  if (!Array.isArray(steps))
    throw new ModelScriptError(`The script '${file}' is not a JSON array of replies.`, { file });
  return steps.map((step: unknown, index) => checkStep(step, `${file}, reply ${index + 1}`));
}

function checkStep(step: unknown, where: string): ScriptStep {
  if (typeof step === 'string') return step;
  if (!isJsonObject(step)) throw new ModelScriptError(`${where} must be a string or an object.`, { where });
  const unknown = Object.keys(step).find((name) => !Object.hasOwn(replyNames, name));
  if (unknown !== undefined) {
    throw new ModelScriptError(
      `${where}: unknown member '${unknown}'. A reply has ${Object.keys(replyNames).join(', ')}.`,
      {
        where,
      },
    );
  }
  const { fault } = step;
  if (fault !== undefined && !faultNames.includes(fault as string)) {
    throw new ModelScriptError(
      `${where}: unknown fault ${JSON.stringify(fault)}. Use one of ${faultNames.join(', ')}.`,
      {
        where,
      },
    );
  }
  return step;
}
