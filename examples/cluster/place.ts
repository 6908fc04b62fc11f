// Where the cluster keeps everything: a schema of its own on a PostgreSQL server, or a folder if there is no server.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openStore, type Store } from 'statek';
import { openPostgres } from 'statek/postgres';

/** Plain data, so that it can be passed to a process. */
export type Place = { readonly url: string; readonly schema: string } | { readonly folder: string };

export async function openPlace(place: Place): Promise<Store> {
  if ('folder' in place) return openStore(place.folder);
  return openPostgres(place.url, { schema: place.schema, poolSize: 4, connectTimeoutMilliseconds: 5000 });
}

/** @param url of a server; a default one is tried */
export async function findPlace(url: string): Promise<Place> {
  const place = { url, schema: `statek_cluster_${randomBytes(4).toString('hex')}` };
  try {
    await (await openPlace(place)).close();
    return place;
  } catch (error) {
    console.log(
      `There is no PostgreSQL at ${url.replace(/\/\/.*@/, '//')}: ${(error as Error).message.split('\n')[0]}`,
    );
    console.log('It goes on with SQLite. For PostgreSQL: --postgres postgres://user:password@host/database\n');
    return { folder: mkdtempSync(join(tmpdir(), 'statek-cluster-')) };
  }
}

export async function removePlace(place: Place): Promise<void> {
  if ('folder' in place) return rmSync(place.folder, { recursive: true, force: true });
  const client = new Client({ connectionString: place.url });
  await client.connect();
  await client.query(`drop schema "${place.schema}" cascade`);
  await client.end();
}
