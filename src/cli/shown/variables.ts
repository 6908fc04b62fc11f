// Variables of a program for display. Durable objects are shown with their fields, even if their class is not registered
// in this process.
import type { Statek } from '../../kit/statek.ts';
import type { Job } from '../../agents/job.ts';
import { ownVariables } from '../../agents/tools/tool-variables.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { GuestText } from '../../workspace/wire/decode.ts';
import type { LocalsOptions } from '../../workspace/variables/locals.ts';
import { jsonValue, shownValue } from '../output/values.ts';

export interface ShownVariable {
  readonly name: string;
  readonly json: unknown;
  readonly text: string;
}

export async function shownVariables(
  kit: Statek,
  program: Job | Workspace,
  options: LocalsOptions & { readonly maxLength?: number } = {},
): Promise<ShownVariable[]> {
  const { maxLength, ...sizes } = options;
  // Leaves out the tools that agents put into the workspace.
  const locals = ownVariables(await program.locals(sizes));
  const shown: ShownVariable[] = [];
  for (const [name, value] of Object.entries(locals))
    shown.push({
      name,
      ...(await inFull(kit, value instanceof GuestText ? await program.local(name) : value, maxLength)),
    });
  return shown;
}

/** Runs in a transaction, because showing a durable object may have to load it. */
export async function inFull(
  kit: Statek,
  value: unknown,
  maxLength?: number,
): Promise<{ readonly json: unknown; readonly text: string }> {
  const look = (): { json: unknown; text: string } => ({ json: jsonValue(value), text: shownValue(value, maxLength) });
  return typeof value === 'object' && value !== null ? kit.transaction(look) : look();
}
