// Consoles and errors as a model sees them: whole if they are short, and with both ends if they are not.
import { dialects } from '../language.ts';
import type { Language } from '../prompts/metadata.ts';
import type { StepFault } from './item.ts';

/** Cuts a long text in its middle; the model can have all of it by asking for the item. */
export function consoleText(text: string, most: number, item: number, language: Language): string {
  if (text.length <= most) return text;
  const head = Math.floor(most * 0.6);
  const tail = Math.floor(most * 0.3);
  const left = (text.length - head - tail).toLocaleString('en-US');
  return `${text.slice(0, head)}\n… (${left} characters are left out; ${dialects[language].waits}unfold(${item}) shows them)\n${text.slice(-tail)}`;
}

/** Type, message, and where it happened in the author's own code. */
export function faultText({ name, message, line, column, frame }: StepFault): string {
  const place = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  return `${name}: ${message}${place}${frame === undefined ? '' : `\n${frame}`}`;
}
