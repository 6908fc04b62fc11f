// A job out of a file that `exportJob` made. Rows are only added, never changed, and the job itself comes last: until then there is
// nothing to be seen of it, and an import that was interrupted can be made again. It is paused, and belongs to no parent.
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { chatRows, definitionRows, hashOf } from '../../agents/door.ts';
import { StatekError } from '../../base/error.ts';
import { chainCollections, chains } from '../../history/door.ts';
import {
  importedJob,
  jobCallRows,
  jobEventRows,
  jobInboxRows,
  jobPastRows,
  jobRows,
  type JobRow,
} from '../../jobs/door.ts';
import { objectCollections } from '../../objects/door.ts';
import {
  ArchiveDamagedError,
  commitParts,
  readArchive,
  StoreConflictError,
  type ArchivedRow,
  type Check,
  type Collection,
  type Store,
  type Write,
} from '../../store/door.ts';
import {
  consoleRows,
  futureRows,
  heldRows,
  importedFutures,
  largeTextRows,
  runRows,
  stepRows,
  workspaceRows,
  type FutureRow,
  type WorkspaceRow,
} from '../../workspace/door.ts';

/** Something of the job is in the store already, and is different. */
export class ImportConflictError extends StatekError {
  readonly code = 'IMPORT_CONFLICT';
}

/** Rows that begin with the id of the job or its workspace. */
const owned: readonly Collection[] = [
  jobInboxRows,
  jobCallRows,
  jobEventRows,
  jobPastRows,
  chatRows,
  largeTextRows,
  stepRows,
  futureRows,
];
/** Rows that are named by what is in them, or belong to histories. */
const shared: readonly Collection[] = [...chainCollections, heldRows, definitionRows, consoleRows];
const objects: readonly Collection[] = objectCollections;
const atOnce = 200;

/** Imports a job; returns its id. */
export async function importJob(store: Store, source: AsyncIterable<Uint8Array>): Promise<string> {
  const { about, rows } = await readArchive(source);
  if (about['kind'] !== 'job') throw new ArchiveDamagedError('This archive does not contain a job.', { about });
  const job = only(rows, jobRows) as JobRow | undefined;
  const workspace = rows.some(({ collection }) => collection === workspaceRows.name)
    ? (only(rows, workspaceRows) as WorkspaceRow | undefined)
    : undefined;
  if (job === undefined || job.id !== about['id']) throw new ArchiveDamagedError('This archive has no job in it.', {});
  await refuseTaken(store, job.id, workspace?.id);
  const known = new Map([...owned, ...shared, ...objects].map((collection) => [collection.name, collection]));
  const ids = new Set([job.id, workspace?.id ?? job.id]);
  const last: Write[] = [];
  const added: { readonly collection: Collection; readonly row: ArchivedRow }[] = [];
  for (const row of rows) {
    if (row.collection === jobRows.name || row.collection === workspaceRows.name) continue;
    const collection = known.get(row.collection);
    if (collection === undefined || !isAllowed(collection, row, ids))
      throw new ArchiveDamagedError(`This archive has a row that is not part of a job: ${row.collection}.`, {});
    if (collection === chains) last.push(...(await missing(store, [{ collection, row }])));
    else added.push({ collection, row });
  }
  for (let start = 0; start < added.length; start += atOnce) {
    const writes = await missing(store, added.slice(start, start + atOnce));
    if (writes.length > 0) await commitParts(store, [{ checks: writes.map(isAbsent), writes }]);
  }
  const hasSecrets = workspace !== undefined && workspace.secret !== '';
  if (workspace !== undefined) {
    const secret = hasSecrets ? workspace.secret : randomBytes(32).toString('base64');
    last.push(
      { kind: 'put', collection: workspaceRows, key: [workspace.id], value: { ...workspace, secret } },
      { kind: 'put', collection: runRows, key: [workspace.id], value: { workspace: workspace.id } },
    );
  }
  const futures = rows
    .filter(({ collection }) => collection === futureRows.name)
    .map(({ value }) => value as FutureRow);
  const waits = importedFutures(futures, !hasSecrets);
  const made = importedJob(job, { lookOnly: workspace !== undefined && !hasSecrets });
  const checks = [...made.checks, ...last.map(isAbsent)];
  const result = await commitParts(store, [{ checks, writes: [...last, ...waits, ...made.writes] }]);
  if (result.status !== 'committed')
    throw new StoreConflictError(`The job '${job.id}' could not be imported: ${result.conflict.message}`, {
      id: job.id,
    });
  return job.id;
}

function only(rows: readonly ArchivedRow[], { name }: Collection): unknown {
  const found = rows.filter(({ collection }) => collection === name);
  if (found.length > 1) throw new ArchiveDamagedError('This archive has more than one job in it.', {});
  const [row] = found;
  const value = row?.value as { id?: unknown } | undefined;
  if (value !== undefined && (row?.key.length !== 1 || row.key[0] !== value.id))
    throw new ArchiveDamagedError('This archive names its job in two ways.', {});
  return value;
}

async function refuseTaken(store: Store, job: string, workspace: string | undefined): Promise<void> {
  const [existing] = await store.read(jobRows, [[job]]);
  if (existing !== undefined)
    throw new ImportConflictError(
      `There is a job '${job}' already. Import it into another store, or delete that one.`,
      {
        id: job,
      },
    );
  const [taken] = workspace === undefined ? [] : await store.read(workspaceRows, [[workspace]]);
  if (taken !== undefined)
    throw new ImportConflictError(
      `There is a workspace '${String(workspace)}' already. Import the job into another store, or delete that one.`,
      { workspace },
    );
}

/** Files come from anywhere: what is not the job's own, or named by its contents, is not taken. */
function isAllowed(collection: Collection, { key, value }: ArchivedRow, ids: ReadonlySet<string>): boolean {
  if (owned.includes(collection)) return ids.has(String(key[0]));
  if (collection === definitionRows) return key[0] === hashOf(value as never);
  return true;
}

/** The writes of rows that are not there. One that is there and different is refused; objects stay as they are. */
async function missing(
  store: Store,
  rows: readonly { readonly collection: Collection; readonly row: ArchivedRow }[],
): Promise<Write[]> {
  const writes: Write[] = [];
  for (const [collection, of] of Map.groupBy(rows, ({ collection: one }) => one)) {
    const found = await store.read(
      collection,
      of.map(({ row }) => row.key),
    );
    for (const [index, { row }] of of.entries()) {
      const entry = found[index];
      if (entry === undefined) writes.push({ kind: 'put', collection, key: row.key, value: row.value });
      else if (!objects.includes(collection) && !isDeepStrictEqual(plain(entry.value), plain(row.value)))
        throw new ImportConflictError(
          `'${String(row.key[0])}' is in this store already and is different. Import the job into another store.`,
          { collection: row.collection, key: row.key },
        );
    }
  }
  return writes;
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function isAbsent({ collection, key }: Write): Check {
  return { kind: 'absent', collection, key };
}
