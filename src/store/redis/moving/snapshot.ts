// Redis has no snapshots: it can be read as a whole only while nobody writes. Every answer says at which revision it was given, and
// as soon as that is another one than at the start, reading ends with an error.
import type { KnownCollection } from '../../engine/engine.ts';
import type { LogRow } from '../../engine/log.ts';
import type { Snapshot, SnapshotState, StoredVersion } from '../../engine/snapshot.ts';
import type { CollectionId, StoredEntry } from '../../engine/stored.ts';
import type { RowDecoder } from '../../engine/unless-damaged.ts';
import { StoreBusyError } from '../../errors.ts';
import { keyBytes, keyFromBytes, type EncodedKey } from '../../key.ts';
import { after as behind } from '../../range.ts';
import type { Revision } from '../../store.ts';
import type { Collections, StoredCollection } from '../collections.ts';
import type { Argument, Reply, ScriptReply } from '../connections.ts';
import { decodeEntry, decodeRow, keyArgument } from '../reading/entry.ts';
import { countScript, hashScript, logScript, pastScript, readScript, scanScript, type Script } from '../scripts.ts';

const pageRows = 1000;
const pageBytes = 4 * 1024 * 1024;
const lengthOfVersion = 9;

/** Runs a script with the keys of the store and these. */
export type RunScript = (script: Script, keys: readonly string[], words: readonly Argument[]) => Promise<ScriptReply>;

export class RedisSnapshot implements Snapshot {
  readonly state: SnapshotState;
  readonly collections: readonly KnownCollection[];
  readonly #run: RunScript;
  readonly #stored: Collections;
  readonly #decoder: RowDecoder;

  static async open(run: RunScript, metaKey: string, stored: Collections, decoder: RowDecoder): Promise<RedisSnapshot> {
    const collections = await stored.list();
    const { head, horizon, rest } = await run(hashScript, [metaKey], []);
    const fields = rest as readonly Buffer[];
    const at = fields.findIndex((field, index) => index % 2 === 0 && String(field) === 'token');
    const token = Number(fields[at + 1]);
    return new RedisSnapshot(run, stored, decoder, { revision: head, horizon, token }, collections);
  }

  private constructor(
    run: RunScript,
    stored: Collections,
    decoder: RowDecoder,
    state: SnapshotState,
    collections: readonly KnownCollection[],
  ) {
    this.#run = run;
    this.#stored = stored;
    this.#decoder = decoder;
    this.state = state;
    this.collections = collections;
  }

  async count(): Promise<number> {
    let count = this.state.revision - this.state.horizon;
    for (const { id } of this.collections) {
      const { values, past } = this.#stored.get(id).keys;
      for (const size of await this.#reply(countScript, [values, past], [])) count += Number(size);
    }
    return count;
  }

  async log(after: Revision): Promise<readonly LogRow[]> {
    const rows = await this.#reply(logScript, [], [String(after), String(pageRows)]);
    return pairsOf(rows).map(([id, row]) => decodeRow(id as Buffer, row));
  }

  async entries(collection: CollectionId, after: EncodedKey | undefined): Promise<readonly StoredEntry[]> {
    const { known, keys } = this.#of(collection);
    for (let last = after; ;) {
      const lower = last === undefined ? '' : keyArgument(behind(last));
      const words = ['', lower, Buffer.from([0xff]), '0', String(pageRows), String(pageBytes), '0'];
      const names = [keys.values, keys.order, keys.past, keys.pastOrder];
      const [, , ...found] = await this.#reply(scanScript, names, words);
      const pairs = pairsOf(found).map(([key, stored]) => ({ key: keyFromBytes(key as Buffer), stored }));
      const entries = pairs.flatMap(({ key, stored }) =>
        this.#decoder.decode(() => decodeEntry(known.definition, key, stored)),
      );
      // Empty only at the end.
      if (entries.length > 0 || pairs.length === 0) return entries;
      last = pairs.at(-1)?.key;
    }
  }

  async versions(
    collection: CollectionId,
    after: { readonly key: EncodedKey; readonly until: Revision } | undefined,
  ): Promise<readonly StoredVersion[]> {
    const { known, keys } = this.#of(collection);
    let last: Argument = after === undefined ? '' : versionMember(after.key, after.until);
    for (;;) {
      const pairs = pairsOf(await this.#reply(pastScript, [keys.past, keys.pastOrder], [last, String(pageRows)]));
      const versions = pairs.flatMap(([member, stored]) =>
        this.#decoder.decode(() => versionOf(known, member as Buffer, stored)),
      );
      if (versions.length > 0 || pairs.length === 0) return versions;
      last = pairs.at(-1)?.[0] as Buffer;
    }
  }

  async read(collection: CollectionId, keys: readonly EncodedKey[]): Promise<readonly StoredEntry[]> {
    const { known, keys: names } = this.#of(collection);
    const words = ['', ...keys.map(keyArgument)];
    const found = await this.#reply(readScript, [names.values, names.past, names.pastOrder], words);
    return keys.flatMap((key, index) => {
      const stored = (found[index] ?? null) as Buffer | null;
      return stored === null ? [] : this.#decoder.decode(() => decodeEntry(known.definition, key, stored));
    });
  }

  async readVersions(
    collection: CollectionId,
    replaced: readonly { readonly key: EncodedKey; readonly until: Revision }[],
  ): Promise<readonly StoredVersion[]> {
    const { known, keys } = this.#of(collection);
    const members = replaced.map(({ key, until }) => versionMember(key, until));
    const found = await this.#reply(readScript, [keys.past, keys.past, keys.pastOrder], ['', ...members]);
    return members.flatMap((member, index) => {
      const stored = (found[index] ?? null) as Buffer | null;
      return stored === null ? [] : this.#decoder.decode(() => versionOf(known, member, stored));
    });
  }

  damaged(): Promise<readonly string[]> {
    return Promise.resolve(this.#decoder.damaged());
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #reply(script: Script, keys: readonly string[], words: readonly Argument[]): Promise<Reply> {
    const { head, horizon, rest } = await this.#run(script, keys, words);
    const { revision, horizon: expected } = this.state;
    if (head === revision && horizon === expected) return rest;
    throw new StoreBusyError(
      `The store changed while it was read: it was at revision ${revision}, and is at ${head}. Redis has no snapshots; stop the workers, and try again.`,
      { revision, head },
    );
  }

  #of(id: CollectionId): StoredCollection {
    return this.#stored.get(id);
  }
}

/** How a superseded entry is named: no key goes on with a zero byte. */
export function versionMember(key: EncodedKey, until: Revision): Buffer {
  const end = Buffer.alloc(lengthOfVersion);
  end.writeBigUInt64BE(BigInt(until), 1);
  return Buffer.concat([keyBytes(key), end]);
}

function versionOf({ definition }: KnownCollection, member: Buffer, stored: Buffer | null): StoredVersion {
  const key = keyFromBytes(member.subarray(0, -lengthOfVersion));
  const until = Number(member.readBigUInt64BE(member.length - 8));
  return { ...decodeEntry(definition, key, stored, ` before revision ${until}`), until };
}

function pairsOf(reply: Reply): (readonly [Buffer | null, Buffer | null])[] {
  const pairs: (readonly [Buffer | null, Buffer | null])[] = [];
  for (let at = 0; at < reply.length; at += 2)
    pairs.push([reply[at] as Buffer | null, (reply[at + 1] ?? null) as Buffer | null]);
  return pairs;
}
