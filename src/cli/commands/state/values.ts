// `statek state`: named values: listed, shown, and watched.
import { NotFoundError } from '../../../workspace/errors.ts';
import type { Command, Given } from '../../line/command.ts';
import { oneLine } from '../../output/style.ts';
import { timeText } from '../../shown/describe.ts';
import type { Session } from '../../session.ts';
import { printEvents, watchOptions } from './watching.ts';

interface ValueChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly revision: number;
}

export const state: Command = {
  name: 'state',
  group: 'Look',
  summary: 'list named values, show one, or watch them',
  arguments: [{ syntax: '[key]', description: "a key, or a pattern such as 'agent:*' (default: all)" }],
  options: watchOptions,
  examples: [
    ['state', 'all keys'],
    ["state 'agent:*'", 'keys that match'],
    ['state agent:researcher', 'one value, with its version'],
    ["state 'agent:*' --watch", 'changes as they are committed'],
  ],
  async run(session, given) {
    const key = given.optional('key');
    if (given.flag('watch')) return printEvents(session, given, changes(session, key ?? '*'), changeLine);
    return key === undefined || /[*?[]/.test(key) ? list(session, given, key ?? '*') : show(session, key);
  },
};

async function list(session: Session, given: Given, pattern: string): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const page = await kit.state.listKeys(pattern, { limit: given.number('limit') ?? 20 });
  if (out.isJson) {
    out.json(page);
    return;
  }
  if (page.keys.length === 0) out.note('No values found.');
  for (const key of page.keys) out.line(oneLine(key));
  if (page.cursor !== undefined) out.note('There are more: raise --limit.');
}

async function show(session: Session, key: string): Promise<void> {
  const { out } = session;
  const entry = await (await session.kit('look')).state.getEntry(key);
  if (entry === undefined)
    throw new NotFoundError(`There is no value '${key}'. List the keys with: statek state`, { key });
  if (out.isJson) {
    out.json(entry);
    return;
  }
  out.facts([
    ['key', oneLine(key)],
    ['version', String(entry.version)],
    ['created', timeText(entry.created)],
    ['updated', timeText(entry.updated)],
  ]);
  out.line(JSON.stringify(entry.value, null, 2));
}

/** Changes as they come; those that were not taken yet wait in order. */
async function* changes(session: Session, pattern: string): AsyncGenerator<ValueChange, void, undefined> {
  const kit = await session.kit('look');
  const waiting: ValueChange[] = [];
  let wake = (): void => undefined;
  const subscription = kit.state.subscribe(
    pattern,
    (key, before, after, { revision }) => {
      waiting.push({ key, before, after, revision });
      wake();
    },
    { since: await kit.state.revision() },
  );
  try {
    while (!session.signal.aborted) {
      const next = waiting.shift();
      if (next === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      else yield next;
    }
  } finally {
    subscription.unsubscribe();
  }
}

function changeLine({ key, before, after }: ValueChange): string {
  return `${oneLine(key)}: ${shown(before)} → ${shown(after)}`;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : oneLine(JSON.stringify(value));
}
