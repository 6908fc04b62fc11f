// What a model is reminded of before an answer is given. Kept by role in the store, so that every process knows it.
import { recordCollection } from '../store/door.ts';

export interface Reminder {
  readonly text: string;
  /** Remind again whenever something was done since. */
  readonly everyAnswer?: boolean | undefined;
  /** Not before the user has said so many things; default: 1. */
  readonly minDialogLength?: number | undefined;
}

/** [role] */
export const reminderRows = recordCollection<Reminder>('reminders');

/** What is to be said now, if anything: once per message, and not before the dialog is long enough. */
export function reminderText(
  reminder: Reminder | undefined,
  { reminded, messages }: { readonly reminded: boolean; readonly messages: number },
): string | undefined {
  if (reminder === undefined || reminded || messages < (reminder.minDialogLength ?? 1)) return undefined;
  return `${reminder.text}\n(Your last reply was not sent yet. Write your answer again, corrected if need be.)`;
}
