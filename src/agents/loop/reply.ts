// A reply of the model, as it becomes part of the conversation: what is kept of it, what it counts, what is to be done.
import { dayOf, tenantOf, tenantUsageRows } from '../../jobs/door.ts';
import { messageText } from '../../models/door.ts';
import { actionsOf } from '../chat/actions.ts';
import { dialects } from '../language.ts';
import { isDialog } from '../settings/chat-style.ts';
import type { AskedReply } from './calls.ts';
import type { LoopTurn } from './state.ts';

/** Adds the reply to the conversation, and what it used to the counts; returns the number of its item. */
export function addReply(loop: LoopTurn, { reply, asked, suppressed, original }: AskedReply): number {
  const { message, finish, usage, warnings } = reply;
  const { state } = loop;
  const turn = state.turn + 1;
  const item = loop.add({
    kind: 'reply',
    turn,
    message,
    finish,
    usage,
    ...(warnings.length === 0 ? {} : { warnings }),
    difficulty: state.difficulty,
    asked,
    ...(suppressed === undefined ? {} : { suppressed }),
    ...(original === undefined ? {} : { original }),
  });
  const { counts } = state;
  loop.count({
    turns: counts.turns + 1,
    tokens: counts.tokens + usage.tokens.input + usage.tokens.output,
    cost: counts.cost + (usage.cost?.amount ?? 0),
  });
  countForTenant(loop, item, usage);
  loop.set({ turn, starts: [...state.starts, item], used: usage.tokens.input + usage.tokens.output, added: 0 });
  return item;
}

/** What it used is counted for its tenant in the same commit. */
function countForTenant(loop: LoopTurn, number: number, { tokens, cost }: AskedReply['reply']['usage']): void {
  const { id, labels } = loop.turn.job;
  const tenant = tenantOf({ labels });
  if (tenant === undefined) return;
  loop.write({
    kind: 'put',
    collection: tenantUsageRows,
    key: [tenant, dayOf(loop.now), loop.now, id, number],
    value: { tokens: tokens.input + tokens.output, cost: cost?.amount ?? 0 },
  });
}

/** Puts down what the reply asks for; whether it is an answer, after which the job may rest. */
export function takeReply(
  loop: LoopTurn,
  item: number,
  { message, finish }: Pick<AskedReply['reply'], 'message' | 'finish'>,
  sends: boolean,
  remindsAgain: boolean,
): boolean {
  const { style, language, tools } = loop.state;
  const text = messageText(message);
  const dialect = dialects[language];
  const { actions, notes, isFinal } = actionsOf(message, finish, { style, dialect, tools, sends });
  for (const note of notes) loop.add({ kind: 'note', text: note });
  const isProse = isFinal && style === 'MARKDOWN' && text.trim() !== '' && notes.length === 0;
  // A model that talks on after it was reminded has nothing to run: what it says is its answer.
  const insists = isProse && loop.state.talked === true;
  const nothing = isFinal && !insists && (!isDialog(style) || text.trim() === '');
  const isAnswer = isFinal && !nothing;
  loop.set({
    reply: {
      item,
      isFinal: isAnswer,
      text: isFinal ? text : '',
      errors: nothing ? 1 : 0,
      ...(remindsAgain ? { remindsAgain: true as const } : {}),
    },
    todo: nothing ? [] : [...actions, ...loop.state.todo],
    talked: isProse && !insists,
  });
  if (nothing) {
    const what = isDialog(style) ? 'Your reply was empty.' : 'There was nothing to run in your reply.';
    loop.add({
      kind: 'note',
      text: `${what} Write ${dialect.title} code${style === 'MARKDOWN' ? ` in a fence labelled ${dialect.fences[0] ?? ''}` : ''}, or call exit(value) if you are done.${isProse ? ' If there is nothing to run, say your answer again: it ends the job.' : ''}`,
    });
  }
  return isAnswer;
}
