// Commands with several actions refuse the options that only another action has.
import type { Given } from './command.ts';
import { UsageError } from './errors.ts';

/** Refuses options that another action of the same command has: nothing would come of them. */
export function refuseOptionsOfOthers(
  given: Given,
  command: string,
  action: string,
  optionsOf: Readonly<Record<string, readonly string[]>>,
): void {
  for (const [option, actions] of Object.entries(optionsOf)) {
    if (!given.has(option) || actions.includes(action)) continue;
    const flag = `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new UsageError(
      `statek ${command} has no option ${flag}; ${actions.join(' and ')} ${actions.length === 1 ? 'has' : 'have'} it.`,
    );
  }
}
