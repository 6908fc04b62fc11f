// Fills an empty store: everything is written under other names first, and gets its own in one script. What an interrupted one left
// behind is removed by the next.
import { randomUUID } from 'node:crypto';
import type { Collection } from '../../collection.ts';
import { notEmpty } from '../../engine/empty.ts';
import type { KnownCollection } from '../../engine/engine.ts';
import type { Loading, SnapshotItem, SnapshotState } from '../../engine/snapshot.ts';
import type { CollectionId, StoredEntry } from '../../engine/stored.ts';
import type { Collections } from '../collections.ts';
import type { Argument, Connections, Session } from '../connections.ts';
import type { SeenHistory } from '../history.ts';
import { collectionKeys, storeKeys, wakeChannel, type CollectionKeys, type StoreKeys } from '../keys.ts';
import type { Settings } from '../options.ts';
import { encodeEntry, encodeRow, keyArgument } from '../reading/entry.ts';
import { loadBeginScript, loadFinishScript } from '../scripts.ts';
import { versionMember } from './snapshot.ts';

export interface RedisParts {
  readonly connections: Connections;
  readonly history: SeenHistory;
  readonly keys: StoreKeys;
  readonly collections: Collections;
  readonly settings: Settings;
}

interface Names {
  readonly staged: CollectionKeys;
  readonly final: CollectionKeys;
}

/** What is added to a name while a store is filled. */
const stagedPattern = ':loading:';

export class RedisLoading implements Loading {
  readonly #parts: RedisParts;
  readonly #loaded: (horizon: number) => Promise<void>;
  readonly #id = randomUUID();
  readonly #logKeys: { readonly staged: string; readonly final: string };
  readonly #tables = new Map<CollectionId, Names>();

  /** @param loaded called when the contents are there. */
  static async open(parts: RedisParts, loaded: (horizon: number) => Promise<void>): Promise<RedisLoading> {
    const loading = new RedisLoading(parts, loaded);
    const { connections, history, keys } = parts;
    const { head, rest } = await connections.useWithRetry((session) =>
      session.run(loadBeginScript, history, [keys.meta, keys.log], [loading.#id]),
    );
    if (rest[0] !== 1) throw notEmpty(head);
    await loading.#removeStaged(`{${parts.settings.keyPrefix}}${stagedPattern}*`);
    return loading;
  }

  private constructor(parts: RedisParts, loaded: (horizon: number) => Promise<void>) {
    this.#parts = parts;
    this.#loaded = loaded;
    this.#logKeys = { staged: this.#staged(parts.keys.log), final: storeKeys(parts.settings.keyPrefix).log };
  }

  async declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    const known = await this.#parts.collections.declare(collections);
    for (const one of known) {
      const final = collectionKeys(this.#parts.settings.keyPrefix, one);
      const staged = { ...final };
      for (const part of parts) staged[part] = this.#staged(final[part]);
      this.#tables.set(one.id, { staged, final });
    }
    return known;
  }

  add(items: readonly SnapshotItem[]): Promise<void> {
    const commands = new Commands();
    for (const item of items) {
      if (item.kind === 'logged') {
        const id = `${item.row.revision}-0`;
        commands.alone(['XADD', this.#logKeys.staged, id, 'c', encodeRow(item.row.changes), 'm', this.#id]);
        continue;
      }
      const { staged } = this.#tables.get(item.collection) as Names;
      const { kind, values, order, past, pastOrder, free } = staged;
      if (item.kind === 'removed') {
        const key = keyArgument(item.key);
        commands.add(['HDEL', values], key);
        commands.add(['ZREM', order], key);
        if (kind === 'w') commands.add(['ZREM', free], key);
      } else if (item.kind === 'entry') {
        const key = keyArgument(item.entry.key);
        commands.add(['HSET', values], key, storedEntry(item.entry));
        commands.add(['ZADD', order], '0', key);
        if (kind === 'w') commands.add(['ZADD', free], '0', key);
      } else {
        const member = versionMember(item.version.key, item.version.until);
        commands.add(['HSET', past], member, storedEntry(item.version));
        commands.add(['ZADD', pastOrder], '0', member);
      }
    }
    return this.#parts.connections.use(async (session) => {
      await Promise.all(commands.all().map((words) => session.command(words)));
    });
  }

  async finish({ revision, horizon, token }: SnapshotState): Promise<void> {
    const { connections, history, keys, settings } = this.#parts;
    const renamed = [this.#logKeys.staged, this.#logKeys.final];
    for (const { staged, final } of this.#tables.values())
      for (const part of parts) renamed.push(staged[part], final[part]);
    const words = [this.#id, String(revision), String(horizon), String(token), wakeChannel(settings)];
    const { head, rest } = await connections.use((session) =>
      session.runDurably(loadFinishScript, history, [keys.meta, keys.log, ...renamed], words),
    );
    if (rest[0] !== 1) throw notEmpty(head);
    await this.#loaded(horizon);
  }

  async abandon(): Promise<void> {
    await this.#removeStaged(`{${this.#parts.settings.keyPrefix}}${stagedPattern}${this.#id}:*`).catch(
      // The next one removes it.
      () => undefined,
    );
  }

  #staged(key: string): string {
    const prefix = `{${this.#parts.settings.keyPrefix}}`;
    return `${prefix}${stagedPattern}${this.#id}${key.slice(prefix.length)}`;
  }

  #removeStaged(pattern: string): Promise<void> {
    return this.#parts.connections.use(async (session) => {
      const found = await keysLike(session, pattern);
      for (const key of found) await session.command(['UNLINK', key]);
    });
  }
}

const parts = ['values', 'order', 'past', 'pastOrder', 'free'] as const;

async function keysLike(session: Session, pattern: string): Promise<readonly Buffer[]> {
  const found: Buffer[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await session.command<[Buffer, Buffer[]]>(['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000']);
    found.push(...keys);
    cursor = next.toString();
  } while (cursor !== '0');
  return found;
}

function storedEntry({ key, revision, value }: StoredEntry): Argument {
  return Buffer.concat([Buffer.from(`${revision}:`), Buffer.from(encodeEntry(key, value))]);
}

/** Commands of which those with the same beginning become one. */
class Commands {
  readonly #alone: (readonly Argument[])[] = [];
  readonly #joined = new Map<string, Argument[]>();

  alone(words: readonly Argument[]): void {
    this.#alone.push(words);
  }

  add(beginning: readonly [command: string, key: string], ...words: readonly Argument[]): void {
    const name = beginning.join(' ');
    const joined = this.#joined.get(name) ?? [...beginning];
    joined.push(...words);
    this.#joined.set(name, joined);
  }

  all(): readonly (readonly Argument[])[] {
    return [...this.#alone, ...this.#joined.values()];
  }
}
