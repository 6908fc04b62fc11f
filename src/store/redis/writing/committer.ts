// Commits groups, each by one script, which the server runs one at a time. If the connection is lost before the answer, it
// finds out whether the script ran, and makes sure that it does not run later if it has not.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreBusyError, StoreRolledBackError, StoreUnavailableError, StoreUnknownOutcomeError } from '../../errors.ts';
import type { Outcome, PlainTransaction } from '../../engine/plan.ts';
import type { LoggedChange } from '../../engine/log.ts';
import type { StoredLease } from '../../engine/stored.ts';
import type { Revision } from '../../store.ts';
import type { Collections } from '../collections.ts';
import type { Argument, Connections, Reply } from '../connections.ts';
import { isLostConnection } from '../failure.ts';
import type { SeenHistory } from '../history.ts';
import { wakeChannel, type StoreKeys } from '../keys.ts';
import type { Settings } from '../options.ts';
import { encodeRow, keyArgument, revisionFrom } from '../reading/entry.ts';
import { commitScript, recoverScript, releaseScript, type Script } from '../scripts.ts';
import { decodeOutcomes, encodeGroup, UsedCollections } from './group.ts';

/** What a script did: as it answered, or as the log shows it after the answer was lost. */
type Done =
  | { readonly status: 'answered'; readonly head: Revision; readonly rest: Reply }
  | { readonly status: 'recovered'; readonly last: Revision; readonly words: string | undefined };

type Attempt =
  | Extract<Done, { status: 'answered' }>
  /** The connection was lost after the script was sent. */
  | { readonly status: 'unknown'; readonly error: unknown; readonly mark: string; readonly before: Revision };

export class Committer {
  readonly #connections: Connections;
  readonly #history: SeenHistory;
  readonly #keys: StoreKeys;
  readonly #collections: Collections;
  readonly #settings: Settings;

  constructor(
    connections: Connections,
    history: SeenHistory,
    keys: StoreKeys,
    collections: Collections,
    settings: Settings,
  ) {
    this.#connections = connections;
    this.#history = history;
    this.#keys = keys;
    this.#collections = collections;
    this.#settings = settings;
  }

  async commit(transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> {
    const { keys, words } = encodeGroup(transactions, this.#collections);
    const done = await this.#run(commitScript, keys, words);
    return done.status === 'answered'
      ? decodeOutcomes(transactions, String(done.rest[0]), done.head, this.#collections)
      : decodeOutcomes(transactions, done.words, done.last, this.#collections);
  }

  /** Releases leases and logs that as one more revision. */
  async release(leases: readonly StoredLease[]): Promise<void> {
    const unique = new Map(leases.map((lease) => [`${lease.collection} ${lease.token} ${lease.key}`, lease]));
    let held = [...unique.values()];
    while (held.length > 0) {
      const used = new UsedCollections(this.#collections);
      const items = held.flatMap(({ collection, key, token }) => [
        used.position(collection),
        keyArgument(key),
        String(token),
      ]);
      const changes = held.map(({ collection, key }): LoggedChange => ({ kind: 'released', collection, key }));
      const done = await this.#run(releaseScript, used.keys, [encodeRow(changes), ...used.words(), ...items]);
      if (done.status === 'recovered' || done.rest[0] === 1) return;
      // Nothing was released, because some are lost; those that are held are tried again.
      const before = held;
      held = (done.rest.slice(1) as readonly number[]).map((index) => before[index] as StoredLease);
    }
  }

  async #run(script: Script, keys: readonly string[], words: readonly Argument[]): Promise<Done> {
    for (let attempt = 1; ; attempt++) {
      const end = await this.#attempt(script, keys, words);
      if (end.status === 'answered') return end;
      const recovered = await this.#recover(end);
      if (recovered !== undefined) return recovered;
      // Nothing was written, so it is safe to retry once.
      if (attempt === 2) throw end.error;
    }
  }

  async #attempt(script: Script, keys: readonly string[], words: readonly Argument[]): Promise<Attempt> {
    const mark = newMark();
    let before: Revision | undefined;
    const { meta, log, fences } = this.#keys;
    try {
      return await this.#connections.use(async (session) => {
        before = this.#history.revision;
        const { head, rest } = await session.runDurably(
          script,
          this.#history,
          [meta, log, fences, ...keys],
          [mark, wakeChannel(this.#settings), ...words],
        );
        return { status: 'answered', head, rest };
      });
    } catch (error) {
      const isLost = error instanceof StoreUnavailableError && isLostConnection(error.cause);
      if (before !== undefined && isLost) return { status: 'unknown', error, mark, before };
      throw error;
    }
  }

  /** Undefined if the batch did nothing and never will. */
  async #recover({
    mark,
    before,
  }: Extract<Attempt, { status: 'unknown' }>): Promise<Extract<Done, { status: 'recovered' }> | undefined> {
    const deadline = performance.now() + this.#settings.recovery;
    for (let pause = 50; ; pause = Math.min(pause * 2, 1000)) {
      try {
        return await this.#lookUp(mark, before);
      } catch (error) {
        if (error instanceof StoreRolledBackError) throw error;
        const isTemporary = error instanceof StoreUnavailableError || error instanceof StoreBusyError;
        if (!isTemporary || performance.now() + pause >= deadline) throw unknownOutcome(this.#settings.place, error);
        await delay(pause);
      }
    }
  }

  async #lookUp(mark: string, before: Revision): Promise<Extract<Done, { status: 'recovered' }> | undefined> {
    const { meta, log, fences } = this.#keys;
    const { rest } = await this.#connections.use((session) =>
      session.runDurably(recoverScript, this.#history, [meta, log, fences], [mark, String(before)]),
    );
    const [status, last, words] = rest as readonly [Buffer, Buffer, Buffer | null];
    switch (String(status)) {
      case 'committed':
        return { status: 'recovered', last: revisionFrom(last), words: words?.toString() };
      case 'absent':
        return undefined;
      default:
        throw new StoreUnknownOutcomeError('The part of the log that would show it was pruned.');
    }
  }
}

/** Names a batch in the log. */
function newMark(): string {
  return randomBytes(12).toString('base64url');
}

function unknownOutcome(place: string, cause: unknown): StoreUnknownOutcomeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoreUnknownOutcomeError(
    `The connection to ${place} was lost during a commit and not restored in time, so it is unknown whether the commit happened. Read the written keys before retrying. ${why}`,
    { place },
    cause,
  );
}
