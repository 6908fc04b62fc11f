// Opening a store: checks the server and the schema, and migrates the layout.
import {
  StoreFeatureError,
  StoreForeignError,
  StoreNewerError,
  StorePermissionError,
  StoreUnavailableError,
} from '../../errors.ts';
import type { Connections, Row, Session } from '../connections.ts';
import { lockScript } from './lock.ts';
import type { Settings } from '../options.ts';
import { application, formatVersion, migrations, tableName } from '../schema.ts';
import type { Statement } from '../statements.ts';

const minServerVersion = 130_000;

/** From this format on, a store can be read without being migrated. */
const oldestReadableFormat = 1;
const readOnlyTransaction = '25006';

const serverFacts: Statement = {
  name: 'statek_server',
  text: `select current_setting('server_version_num')::integer, current_setting('server_encoding'),
    current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit')`,
};

const schemaFacts: Statement = {
  name: 'statek_schema',
  text: `select count(*), coalesce(bool_or(relname = '_meta'), false)
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace where nspname = $1`,
};

/** Values of `synchronous_commit`. */
export interface Levels {
  readonly commit: string;
  readonly claim: string;
}

export async function prepareStore(connections: Connections, settings: Settings): Promise<Levels> {
  const levels = await connections.useWithRetry(async (session) =>
    checkServer(await session.run(serverFacts), settings),
  );
  const format = await connections.useWithRetry((session) => formatOf(session, settings));
  try {
    if (format < formatVersion) await connections.useWithRetry((session) => migrate(session, settings));
  } catch (error) {
    if (format < oldestReadableFormat || !mayOnlyRead(error)) throw error;
  }
  return levels;
}

/** The user has no right to write, or the server takes no writes. */
function mayOnlyRead(error: unknown): boolean {
  if (error instanceof StorePermissionError) return true;
  return error instanceof StoreUnavailableError && error.details['code'] === readOnlyTransaction;
}

function checkServer(rows: readonly Row[], settings: Settings): Levels {
  const { place, allowUnsafeServer, durability } = settings;
  const [version, encoding, fsync, fullPageWrites, level] = rows[0] as readonly [
    number,
    string,
    string,
    string,
    string,
  ];
  const refuse = (why: string): never => {
    throw new StoreFeatureError(`${place} cannot be used: ${why}`, { place });
  };
  if (version < minServerVersion)
    refuse(`it is PostgreSQL ${Math.floor(version / 10_000)}; version 13 or newer is required.`);
  if (encoding !== 'UTF8') refuse(`the database's encoding is ${encoding}. Create it with encoding UTF8.`);
  if ((fsync !== 'on' || fullPageWrites !== 'on') && !allowUnsafeServer) {
    refuse(
      `the server runs with ${fsync === 'on' ? 'full_page_writes' : 'fsync'} off, so a power failure may corrupt the data. Turn it on, or set allowUnsafeServer for disposable data.`,
    );
  }
  if (level === 'off' && durability === 'full') {
    refuse(
      "synchronous_commit is off, so a crash of the server may lose acknowledged commits. Turn it on (alter role … set synchronous_commit = on), or set durability: 'relaxed'.",
    );
  }
  return { commit: durability === 'full' ? level : 'off', claim: level === 'off' ? 'on' : level };
}

/** The format of the schema's tables; 0 if there are none. */
async function formatOf(session: Session, { schema, place }: Settings): Promise<number> {
  const [[relations, hasMeta] = []] = await session.run(schemaFacts, [schema]);
  if (relations === 0) return 0;
  const foreign = (): StoreForeignError =>
    new StoreForeignError(
      `${place} belongs to another program: the schema has tables that Statek did not create. Choose another schema.`,
      { schema },
    );
  if (hasMeta !== true) throw foreign();
  const text = `select application, format from ${tableName(schema, '_meta')}`;
  let rows: readonly Row[];
  try {
    rows = await session.run({ name: 'statek_format', text });
  } catch (error) {
    // The table exists but lacks these columns.
    if ((error as { code?: unknown }).code === '42703') throw foreign();
    throw error;
  }
  const [owner, format] = rows[0] ?? [];
  if (owner !== application || typeof format !== 'number') throw foreign();
  if (format > formatVersion) {
    throw new StoreNewerError(
      `${place} was written by a newer Statek: its format is ${format}, this version supports up to ${formatVersion}. Upgrade Statek.`,
      { schema, format, known: formatVersion },
    );
  }
  return format;
}

// If several processes start at once, the first migrates while the others wait and then find nothing to do.
async function migrate(session: Session, settings: Settings): Promise<void> {
  const { schema } = settings;
  await session.script(`begin isolation level read committed read write; ${lockScript(schema, 'layout')}`);
  const format = await formatOf(session, settings);
  for (const [index, migration] of migrations.entries()) {
    if (index < format) continue;
    await session.script(`${migration(schema)}; update ${tableName(schema, '_meta')} set format = ${index + 1}`);
  }
  await session.script('commit');
}
