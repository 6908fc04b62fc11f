// What somebody is asked to decide, as they are shown it: the arguments of a call, the details of a question. Objects of
// the application are named and not read, so that any process can show them, also one that lacks their classes.
import type { Store } from '../../store/door.ts';
import { HandleTable } from '../bridge/handle-table.ts';
import { lengthOfText, loadText } from '../large-texts.ts';
import { cutText, renderLine } from '../wire/render.ts';
import { futureRows, parseFutureId, type FutureRow, type WaitingKind } from '../rows.ts';
import { decodeWire, GuestText } from '../wire/decode.ts';
import { undefinedMessage, type WireMessage } from '../wire/wire.ts';

/** What is waited for, as a person who has to decide is shown it. */
export interface FutureSubject {
  /** What is waited for, with its arguments or details, as text; what is long is cut, and says how long it is. */
  readonly text: string;
  /** What a call is made with, as data; objects of the application by name. Undefined if it is large: `job.calls()` has all. */
  readonly arguments?: readonly unknown[];
  /** The details that `ask` and `approve` were given, as data; objects of the application by name. Undefined if they are large. */
  readonly details?: unknown;
  /** How many characters the store keeps of the arguments or details. */
  readonly characters?: number;
}

/** Longer texts are cut. */
const maxText = 4000;
/** Larger arguments and details are not given as data. */
const maxData = 64 * 1024;

export async function subjectOf(store: Store, future: FutureRow): Promise<FutureSubject> {
  const { workspace, label } = future;
  if (future.kind === 'call') {
    const { call } = future;
    const message = await loadText(store, workspace, call.parameters);
    const text = label.replace('(…)', () => `(${listed(shown(message, asText) as readonly unknown[])})`);
    return {
      text: cutText(text, maxText),
      ...(message.length > maxData ? {} : { arguments: shown(message, asData) as readonly unknown[] }),
      characters: lengthOfText(call.parameters),
    };
  }
  if (!('question' in future)) return { text: cutText(label, maxText) };
  const { text, details } = future.question;
  if (details === undefinedMessage) return { text: cutText(text, maxText) };
  return {
    text: cutText(`${text} ${renderLine([shown(details, asText)], { maxLength: maxText })}`, maxText),
    ...(details.length > maxData ? {} : { details: shown(details, asData) }),
    characters: details.length,
  };
}

/** What a future is about, by its id; undefined if there is no such future. */
export async function findSubject(
  store: Store,
  id: string,
): Promise<(FutureSubject & { readonly kind: WaitingKind }) | undefined> {
  const reference = parseFutureId(id);
  const [entry] =
    reference === undefined ? [] : await store.read(futureRows, [[reference.workspace, reference.number]]);
  return entry && { kind: entry.value.kind, ...(await subjectOf(store, entry.value)) };
}

/** Separated as in a call; texts in quotes. */
function listed(values: readonly unknown[]): string {
  return values
    .map((value) => {
      const text = renderLine([[value]], { maxLength: maxText, expand: 4 });
      return text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
    })
    .join(', ');
}

function shown(message: WireMessage, handle: (token: string) => unknown): unknown {
  return decodeWire(message, { handle, callback: () => undefined, maxBytes: Number.POSITIVE_INFINITY });
}

function asText(token: string): GuestText {
  return new GuestText(asData(token));
}

function asData(token: string): string {
  return `[${HandleTable.nameIn(token)}]`;
}
