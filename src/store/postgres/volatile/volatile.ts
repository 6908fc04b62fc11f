// Volatile messages between processes that share a database, sent as notifications. Listeners announce themselves on a
// separate channel, so that publishers send nothing while nobody listens.
import { randomUUID } from 'node:crypto';
import type { VolatileMessages } from '../../store.ts';
import { Channels } from '../../volatile/channels.ts';
import { decodeBatch, encodeBatch } from '../../volatile/message.ts';
import { Outbox } from '../../volatile/outbox.ts';
import { Audience } from './audience.ts';
import type { Listener } from '../listener.ts';
import { volatileChannelNames } from '../writing/lock.ts';
import { PacketReader, packetsOf } from './packets.ts';
import type { Statement } from '../statements.ts';

/** How often listeners announce themselves. */
const beatMilliseconds = 5000;
/** Channel names per notification, in bytes; the limit of PostgreSQL is 8,000. */
const maxNamesBytes = 6000;

type Notice =
  /** Asks all listeners to announce themselves. */
  | { readonly kind: 'who' }
  | { readonly kind: 'listening' | 'left'; readonly listener: string; readonly channels: readonly string[] };

export class PostgresVolatile implements VolatileMessages {
  readonly #listener: Listener;
  readonly #statement: Statement;
  readonly #names: { readonly messages: string; readonly listeners: string };
  readonly #id = randomUUID();
  readonly #channels = new Channels();
  readonly #audience = new Audience();
  readonly #reader = new PacketReader(this.#id);
  readonly #outbox = new Outbox(async (batch) => {
    // Without a connection messages are dropped, because they would be outdated by the time it is back.
    await this.#send(this.#names.messages, packetsOf(this.#id, this.#sent++, encodeBatch(batch)));
    return true;
  });
  #sent = 0;
  #isAttending = false;
  #stopReceiving: (() => void) | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(listener: Listener, statement: Statement, schema: string) {
    this.#listener = listener;
    this.#statement = statement;
    this.#names = volatileChannelNames(schema);
  }

  publish(channel: string, text: string): void {
    this.#channels.deliver({ channel, text });
    this.#trackListeners();
    if (this.#audience.hears(channel)) this.#outbox.add({ channel, text });
  }

  listen(channel: string, hear: (message: string) => void): () => void {
    const isFirst = !this.#channels.has(channel);
    const remove = this.#channels.add(channel, hear);
    this.#trackListeners();
    if (this.#stopReceiving === undefined) this.#receive();
    else if (isFirst) this.#announce('listening', [channel]);
    return () => {
      if (!this.#channels.has(channel)) return;
      remove();
      if (this.#channels.has(channel)) return;
      this.#announce('left', [channel]);
      if (this.#channels.names().length === 0) this.#stop();
    };
  }

  /** Tells publishers that this process stops listening, if it is connected. */
  async close(): Promise<void> {
    this.#outbox.close();
    const channels = this.#channels.names();
    this.#channels.clear();
    if (this.#stopReceiving === undefined) return;
    this.#stop();
    await this.#sendNotices('left', channels);
  }

  /** Starts tracking who listens, on the first message or listener. */
  #trackListeners(): void {
    if (this.#isAttending) return;
    this.#isAttending = true;
    this.#listener.subscribe(this.#names.listeners, {
      hear: (payload) => this.#onNotice(payload),
      started: () => void this.#send(this.#names.listeners, [JSON.stringify({ kind: 'who' } satisfies Notice)]),
    });
  }

  #receive(): void {
    const announceAll = (): void => this.#announce('listening', this.#channels.names());
    this.#stopReceiving = this.#listener.subscribe(this.#names.messages, {
      hear: (packet) => {
        const body = this.#reader.read(packet);
        if (body !== undefined) for (const message of decodeBatch(body)) this.#channels.deliver(message);
      },
      started: announceAll,
    });
    this.#beat = setInterval(announceAll, beatMilliseconds).unref();
  }

  #stop(): void {
    clearInterval(this.#beat);
    this.#stopReceiving?.();
    this.#stopReceiving = undefined;
  }

  #onNotice(payload: string): void {
    const notice = noticeFrom(payload);
    if (notice?.kind === 'who') {
      if (this.#stopReceiving !== undefined) this.#announce('listening', this.#channels.names());
    } else if (notice !== undefined && notice.listener !== this.#id) {
      if (notice.kind === 'listening') this.#audience.add(notice.listener, notice.channels);
      else this.#audience.remove(notice.listener, notice.channels);
    }
  }

  #announce(kind: 'listening' | 'left', channels: readonly string[]): void {
    void this.#sendNotices(kind, channels);
  }

  async #sendNotices(kind: 'listening' | 'left', channels: readonly string[]): Promise<void> {
    const notices = inGroups(channels).map((group): Notice => ({ kind, listener: this.#id, channels: group }));
    if (notices.length > 0)
      await this.#send(
        this.#names.listeners,
        notices.map((notice) => JSON.stringify(notice)),
      );
  }

  async #send(channel: string, payloads: readonly string[]): Promise<void> {
    // The listener reconnects by itself; unsent messages are lost.
    await this.#listener.send(this.#statement, [channel, payloads]).catch(() => undefined);
  }
}

/** Leaves out names that are too long; those channels work within this process only. */
function inGroups(channels: readonly string[]): string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const channel of channels) {
    const size = Buffer.byteLength(JSON.stringify(channel)) + 1;
    if (size > maxNamesBytes) continue;
    if (size > room) {
      groups.push([]);
      room = maxNamesBytes;
    }
    groups.at(-1)?.push(channel);
    room -= size;
  }
  return groups;
}

function noticeFrom(payload: string): Notice | undefined {
  try {
    const notice = JSON.parse(payload) as Partial<Record<string, unknown>> | null;
    if (notice?.['kind'] === 'who') return { kind: 'who' };
    const { kind, listener, channels } = notice ?? {};
    if ((kind !== 'listening' && kind !== 'left') || typeof listener !== 'string' || !Array.isArray(channels))
      return undefined;
    return { kind, listener, channels: channels.filter((channel) => typeof channel === 'string') };
  } catch {
    return undefined;
  }
}
