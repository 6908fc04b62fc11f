// The two agents: one that hands messages on, and one that keeps the calendar. Their definition is all the application writes.
import { DialogAgent, MessageDispatcher, tool, type Agent } from 'statek';
import { z } from 'zod';
import { Calendar } from './calendar.ts';
import type { Outside } from './outside.ts';
import type { Language } from './script.ts';

export interface AssistantOptions {
  readonly language: Language;
  /** The model of both; each has a scripted one of its own unless told. */
  readonly model: string | undefined;
  readonly outside: Outside;
  /** Called when a mail is out and before its sender has heard of it: the worst moment to die. */
  readonly onMail?: (() => Promise<void>) | undefined;
}

export function assistants({ language, model, outside, onMail }: AssistantOptions): readonly Agent[] {
  const python = language === 'python';
  const sendMail = tool({
    name: 'sendMail',
    description: 'Sends a mail to people.',
    input: z.object({ to: z.array(z.string()), text: z.string() }),
    idempotent: true, // the mail server knows its keys: after a crash it may be asked again
    execute: async ({ to, text }, { idempotencyKey }) => {
      outside.deliver({ key: idempotencyKey, to, text });
      await onMail?.();
    },
  });
  const dispatcher = new MessageDispatcher({
    role: 'dispatcher',
    language,
    metadata: { MODEL: model ?? 'dispatcher' },
    systemPrompt: `You hand on what Ann writes, word for word, and do nothing else.
For her first message about something: ${python ? 'thread = start_new_thread' : 'const thread = await startNewThread'}('scheduler', message).
For what she says about it later: ${python ? 'dispatch_to' : 'await dispatchTo'}(thread, message); the variable is still there.
Then end with exit(thread), in the same block.

{tools}`,
  });
  const scheduler = new DialogAgent({
    role: 'scheduler',
    description: 'Keeps the calendar: finds, moves and lists meetings.',
    language,
    metadata: { MODEL: model ?? 'scheduler' },
    tools: [sendMail],
    internalTools: { openCalendar: () => new Calendar() },
    sendMessage: async (text) => outside.show(text),
    warmup: python
      ? 'calendar = open_calendar()\n# ----------\nbrief(calendar)'
      : 'const calendar = openCalendar();\n// ----------\nbrief(calendar)',
    systemPrompt: `You keep Ann's calendar. Today is Monday, 2 March 2026; times are UTC.
For each meeting that is to be moved, in a loop: find it (calendar.${python ? 'find_meeting' : 'findMeeting'}), find a slot
(calendar.${python ? 'find_empty_slot' : 'findEmptySlot'}), call ${python ? 'approve(question)' : 'await approve(question)'}, move it (meeting.${python ? 'move_to' : 'moveTo'}), and send a mail to its attendees.
Keep what was moved in the variable 'moved'. Answer in a sentence or two when you are done.

{tools}`,
  });
  return [dispatcher, scheduler];
}
