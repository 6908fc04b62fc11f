// The same rows written by hand with `@redis/client`: one MULTI of three HSETs, the least a durable commit costs there.
import { createClient } from '@redis/client';

export class BareRedis {
  readonly samples: number[] = [];
  readonly #client: ReturnType<typeof createClient>;
  #number = 0;

  static async open(url: string): Promise<BareRedis> {
    const client = createClient({ url });
    client.on('error', () => undefined);
    await client.connect();
    return new BareRedis(client as ReturnType<typeof createClient>);
  }

  private constructor(client: ReturnType<typeof createClient>) {
    this.#client = client;
  }

  async commit(): Promise<void> {
    const number = this.#number++;
    const started = performance.now();
    await this.#client
      .multi()
      .hSet('{bare}:deltas', `delta ${number}`, Buffer.alloc(1500, number))
      .hSet(
        '{bare}:jobs',
        `job ${number % 100}`,
        JSON.stringify({ status: 'STARTED', turn: number, note: 'x'.repeat(200) }),
      )
      .hSet('{bare}:events', `event ${number}`, JSON.stringify({ kind: 'slice', text: 'y'.repeat(80) }))
      .exec();
    this.samples.push(performance.now() - started);
  }

  /** The memory the server uses, in bytes. */
  async memory(): Promise<number> {
    const text = await this.#client.info('memory');
    return Number(/used_memory:(\d+)/.exec(text)?.[1] ?? 0);
  }

  close(): void {
    this.#client.destroy();
  }
}
