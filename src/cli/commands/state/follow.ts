// `--watch`: shows something again whenever rows that it follows from have changed, until ^C.
import type { Collection } from '../../../store/collection.ts';
import type { Statek } from '../../../kit/statek.ts';
import type { Session } from '../../session.ts';

export const watchOption = { flags: '--watch', description: 'show it again whenever it changes, until ^C' };

/** Shows it once, and with `isWatched` again after each change; the same twice in a row is shown once. */
export async function shown<Value>(
  session: Session,
  kit: Statek,
  isWatched: boolean,
  collections: readonly Collection[],
  look: () => Promise<Value>,
  show: (value: Value) => void,
): Promise<void> {
  const { signal, out } = session;
  const since = await kit.store.revision();
  let last = await look();
  if (!isWatched) {
    show(last);
    return;
  }
  const again = (value: Value): void => (out.isJson ? out.jsonLine(value) : show(value));
  again(last);
  const changes = kit.store.follow({ collections, since, signal })[Symbol.asyncIterator]();
  for (;;) {
    const next = await session.unlessInterrupted(changes.next());
    if (next.done === true) return;
    const value = await look();
    if (JSON.stringify(value) === JSON.stringify(last)) continue;
    last = value;
    if (!out.isJson) out.line();
    again(value);
  }
}
