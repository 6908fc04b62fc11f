// A conversation that goes back with its job, or goes on in a fork of it: to the item that was the last one when the commit
// was made. Nothing is removed; a note of the system says from where on items do not count any more, and names what was done
// since and cannot be taken back.
import { countedNames, JobStateError, type Restored, type Restoring } from '../../jobs/door.ts';
import { scanAll, type Store, type Write } from '../../store/door.ts';
import { currentItems } from '../chat/current.ts';
import { chatRows, definitionRows, type ChatItem, type RollbackItem } from '../chat/item.ts';
import { isRecord } from '../tools/schema.ts';
import { redefined, type Redefinition } from './redefinition.ts';
import type { LoopState } from './state.ts';

export async function restoreConversation(store: Store, restoring: Restoring): Promise<Restored> {
  const { job, past, isRunning, commit, now, fork } = restoring;
  const current = job.state;
  if (!isLoopState(current)) {
    refuseRedefinition(restoring);
    return { state: past ?? current, writes: [] };
  }
  const items: { readonly value: ChatItem; readonly revision: number }[] = [];
  for await (const { value, revision } of scanAll(store, chatRows, { prefix: [job.id] }))
    items.push({ value, revision });
  const then = isLoopState(past) ? past : past === null ? current : stateBefore(current, items, restoring.revision);
  const after = past === null ? current.first - 1 : then.next - 1;
  const undone = isRunning ? [] : [...(then.doing === null ? [] : [then.doing]), ...then.todo];
  const kept = fork === undefined ? [] : items.filter(({ value }) => value.number <= after);
  const number = fork === undefined ? current.next : then.next;
  const text = textOf(
    restoring,
    undone.some(({ kind }) => kind === 'code' || kind === 'tool' || kind === 'send'),
  );
  const note: RollbackItem = { kind: 'rollback', number, time: now, commit, after, text };
  const id = fork ?? job.id;
  const put = (value: ChatItem): Write => ({ kind: 'put', collection: chatRows, key: [id, value.number], value });
  const state: LoopState = {
    ...then,
    next: number + 1,
    // Turns have numbers of their own, whatever becomes of them.
    turn: fork === undefined ? current.turn : then.turn,
    added: then.added + text.length,
    ...(isRunning ? {} : { doing: null, todo: [], reply: null }),
  };
  const writes = [...kept.map(({ value }) => put(value)), put(note)];
  if (restoring.definition === undefined) return { state, writes };
  const { hash, definition } = await redefined(store, then.definition, restoring.definition as Redefinition);
  return {
    state: { ...state, definition: hash },
    writes: [...writes, { kind: 'put', collection: definitionRows, key: [hash], value: definition }],
  };
}

function refuseRedefinition({ job, definition }: Restoring): void {
  if (definition !== undefined)
    throw new JobStateError(`The job '${job.id}' asks no model, so a fork of it has neither a model nor a prompt.`, {
      id: job.id,
    });
}

function isLoopState(state: unknown): state is LoopState {
  return isRecord(state) && typeof state['definition'] === 'string' && typeof state['next'] === 'number';
}

/** For commits of which only the conversation itself is known: up to what was in the store then. */
function stateBefore(
  current: LoopState,
  items: readonly { readonly value: ChatItem; readonly revision: number }[],
  revision: number,
): LoopState {
  const before = items.filter((item) => item.revision <= revision).map(({ value }) => value);
  const last = before.at(-1)?.number ?? current.first - 1;
  const fold = currentItems(before).findLast((item) => item.kind === 'fold');
  return {
    ...current,
    next: last + 1,
    doing: null,
    todo: [],
    reply: null,
    folded: fold?.upTo ?? current.first - 1,
    foldItem: fold?.number ?? 0,
    starts: currentItems(before).flatMap((item) =>
      item.kind === 'reply' && item.number > (fold?.upTo ?? 0) ? [item.number] : [],
    ),
    used: 0,
    added: before.reduce((sum, item) => sum + JSON.stringify(item).length, 0),
  };
}

/** What the model has to know: what was done since that moment, and what was not. */
function textOf({ effects, fork }: Restoring, leftUndone: boolean): string {
  const sent = effects.driver.filter((name) => name === 'send').length;
  const made = [
    ...countedNames(effects.calls),
    ...(sent === 0 ? [] : [`${sent} ${sent === 1 ? 'message' : 'messages'} to the user`]),
  ];
  const who =
    fork === undefined ? 'This job was taken back to this point' : 'This job goes on from this point of another one';
  const lines = [
    ...(made.length === 0
      ? []
      : [`${who}. What was done after it cannot be taken back and is not repeated: ${made.join(', ')}.`]),
    ...(leftUndone ? ['The rest of your reply was neither run nor sent.'] : []),
  ];
  return lines.join(' ');
}
