// What a step threw, told in its author's terms.
import type { KitContext } from './context.ts';
import type { HandleTable } from './handle-table.ts';
import { render } from './render.ts';
import type { StepError } from './rows.ts';
import { decodeWire } from './wire-decode.ts';

export function stepErrorOf(
  { language }: KitContext,
  handles: HandleTable,
  message: string,
  sourceOf: (step: number) => string | undefined,
): StepError {
  const thrown = decodeWire(message, {
    handle: (token) => handles.objectFor(token),
    callback: () => undefined,
    maxBytes: Number.POSITIVE_INFINITY,
  });
  if (thrown instanceof Error) return language.authorError(thrown, sourceOf);
  return { name: 'Error', message: `The code threw ${render(thrown, { maxLength: 1000 })}` };
}
