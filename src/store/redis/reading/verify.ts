// Reads and checks everything: keys, checksums, JSON, that every key has its value, that items are free or leased, and that
// the log has no gaps.
import type { KnownCollection } from '../../engine/engine.ts';
import { decodeKey, describeEncodedKey, keyFromBytes, type EncodedKey } from '../../key.ts';
import type { VerifyReport } from '../../store.ts';
import type { Collections, StoredCollection } from '../collections.ts';
import type { Connections, Reply } from '../connections.ts';
import type { SeenHistory } from '../history.ts';
import type { StoreKeys } from '../keys.ts';
import { countScript, logScript, pastScript, scanScript } from '../scripts.ts';
import { decodeEntry, decodeRow, revisionFrom } from './entry.ts';

const logPageRows = 1000;
const pageEntries = 1000;
const pageBytes = 4 * 1024 * 1024;
const lengthOfVersion = 9;

export class Verification {
  readonly #connections: Connections;
  readonly #history: SeenHistory;
  readonly #keys: StoreKeys;
  readonly #collections: Collections;
  readonly #problems: string[] = [];
  #entries = 0;
  #bytes = 0;

  constructor(connections: Connections, history: SeenHistory, keys: StoreKeys, collections: Collections) {
    this.#connections = connections;
    this.#history = history;
    this.#keys = keys;
    this.#collections = collections;
  }

  async run(): Promise<VerifyReport> {
    for (const known of await this.#collections.list()) {
      const collection = this.#collections.get(known.id);
      await this.#counts(collection);
      await this.#current(collection);
      if (known.definition.keeps === 'versions') await this.#past(collection);
    }
    await this.#log();
    return { entries: this.#entries, bytes: this.#bytes, problems: this.#problems };
  }

  async #counts({ known, keys }: StoredCollection): Promise<void> {
    const { values, order, past, pastOrder, leases, free, expiry } = keys;
    const { rest } = await this.#connections.useWithRetry((session) =>
      session.run(
        countScript,
        this.#history,
        [...this.#state(), values, order, past, pastOrder, leases, free, expiry],
        [],
      ),
    );
    const [valueCount = 0, keyCount = 0, pastCount, pastKeyCount, leaseCount = 0, freeCount = 0, expiryCount] =
      rest.map(Number);
    const { name, leased } = known.definition;
    const report = (isRight: boolean, what: string): void => {
      if (!isRight) this.#problems.push(`${name}: ${what}.`);
    };
    report(valueCount === keyCount, `${valueCount} values and ${keyCount} keys`);
    report(pastCount === pastKeyCount, `${pastCount} superseded values and ${pastKeyCount} keys for them`);
    if (!leased) return;
    report(leaseCount === expiryCount, `${leaseCount} leases and ${expiryCount} times at which they expire`);
    report(leaseCount + freeCount === keyCount, `${leaseCount} leased and ${freeCount} free items of ${keyCount}`);
  }

  async #current({ known, keys }: StoredCollection): Promise<void> {
    const { values, order, past, pastOrder } = keys;
    for (let lower: Buffer | string = ''; ;) {
      const words = ['', lower, Buffer.from([0xff]), '0', String(pageEntries), String(pageBytes), '0'];
      const { rest } = await this.#connections.useWithRetry((session) =>
        session.run(scanScript, this.#history, [...this.#state(), values, order, past, pastOrder], words),
      );
      const [more, , ...pairs] = rest;
      const last = this.#entriesOf(known, pairs, false);
      if (more !== 1 || last === undefined) return;
      lower = Buffer.concat([last, Buffer.alloc(1)]);
    }
  }

  async #past({ known, keys }: StoredCollection): Promise<void> {
    for (let after: Buffer | string = ''; ;) {
      const words = [after, String(pageEntries)];
      const { rest } = await this.#connections.useWithRetry((session) =>
        session.run(pastScript, this.#history, [...this.#state(), keys.past, keys.pastOrder], words),
      );
      const last = this.#entriesOf(known, rest, true);
      if (last === undefined) return;
      after = last;
    }
  }

  /** Checks pairs of key and stored entry. Returns the last key. */
  #entriesOf({ definition }: KnownCollection, pairs: Reply, isPast: boolean): Buffer | undefined {
    for (let at = 0; at < pairs.length; at += 2) {
      const [bytes, stored] = pairs.slice(at, at + 2) as [Buffer, Buffer | null];
      const key = keyFromBytes(isPast ? bytes.subarray(0, -lengthOfVersion) : bytes);
      const version = isPast ? ` before revision ${bytes.readBigUInt64BE(bytes.length - 8)}` : '';
      if (!isPast) {
        this.#entries++;
        this.#bytes += bytes.length + (stored?.length ?? 0);
      }
      const problem = problemWith(definition, key, stored, version);
      if (problem !== undefined) this.#problems.push(problem);
    }
    return pairs.at(-2) as Buffer | undefined;
  }

  async #log(): Promise<void> {
    let position: number | undefined;
    for (;;) {
      const after: number = position ?? 0;
      const { head, horizon, rest } = await this.#connections.useWithRetry((session) =>
        session.run(logScript, this.#history, this.#state(), [String(after), String(logPageRows)]),
      );
      if (after < horizon) {
        position = horizon;
        continue;
      }
      position = after;
      for (let at = 0; at < rest.length; at += 2) {
        const [id, row] = rest.slice(at, at + 2) as [Buffer, Buffer | null];
        const revision = revisionFrom(id);
        if (revision !== position + 1) this.#problems.push(`The change log has no revision ${position + 1}.`);
        position = revision;
        try {
          decodeRow(id, row);
        } catch (error) {
          this.#problems.push(error instanceof Error ? error.message : String(error));
        }
      }
      if (position >= head) return;
      if (rest.length < 2 * logPageRows) {
        this.#problems.push(`The change log ends at revision ${position}; the latest is ${head}.`);
        return;
      }
    }
  }

  #state(): readonly string[] {
    return [this.#keys.meta, this.#keys.log];
  }
}

function problemWith(
  definition: KnownCollection['definition'],
  key: EncodedKey,
  stored: Buffer | null,
  version: string,
): string | undefined {
  try {
    decodeKey(key);
    const { value } = decodeEntry(definition, key, stored, version);
    if (typeof value === 'string') JSON.parse(value);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `${definition.name} ${describeEncodedKey(key)}${version}: ${why}`;
  }
}
