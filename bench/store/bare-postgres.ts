// The same rows written by hand with `pg`: one transaction of three upserts, the least a durable commit costs there.
import { Client } from 'pg';

export class BarePostgres {
  readonly samples: number[] = [];
  readonly #client: Client;
  readonly #table: string;
  #number = 0;

  static async open(url: string, schema: string): Promise<BarePostgres> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const table = `"${schema}_bare"`;
    await client.query(`create table ${table} (key text primary key, value jsonb, blob bytea)`);
    return new BarePostgres(client, table);
  }

  private constructor(client: Client, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async commit(): Promise<void> {
    const number = this.#number++;
    const put = `insert into ${this.#table} values ($1, $2, $3) on conflict (key) do update set value = excluded.value, blob = excluded.blob`;
    const started = performance.now();
    await this.#client.query('begin');
    await this.#client.query({ name: 'put', text: put, values: [`delta ${number}`, null, Buffer.alloc(1500, number)] });
    await this.#client.query({
      name: 'put',
      text: put,
      values: [`job ${number % 100}`, JSON.stringify({ status: 'STARTED', turn: number, note: 'x'.repeat(200) }), null],
    });
    await this.#client.query({
      name: 'put',
      text: put,
      values: [`event ${number}`, JSON.stringify({ kind: 'slice', text: 'y'.repeat(80) }), null],
    });
    await this.#client.query('commit');
    this.samples.push(performance.now() - started);
  }

  async close(): Promise<void> {
    await this.#client.query(`drop table ${this.#table}`);
    await this.#client.end();
  }
}
