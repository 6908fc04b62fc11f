// What a journal and a snapshot consist of, as bytes: changes as they were decided, and the parts of contents that were saved whole.
import type { Collection } from '../collection.ts';
import type { LoggedChange, LogRow } from '../engine/log.ts';
import { decodeChanges, encodeChanges } from '../engine/log.ts';
import type { SnapshotItem } from '../engine/snapshot.ts';
import type { StoredEntry, StoredLease, StoredValue } from '../engine/stored.ts';
import { StoreCorruptError } from '../errors.ts';
import type { EncodedKey } from '../key.ts';
import type { CommittedRow, ReleasedLease, StoreChange, WrittenChange } from '../memory/change.ts';
import type { Contents } from '../memory/contents.ts';
import type { Revision } from '../store.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { packBytes, packText, unpack, type Packing } from './packing.ts';

const kinds = {
  declared: 1,
  committed: 2,
  leased: 3,
  pruned: 4,
  state: 5,
  entry: 6,
  version: 7,
  logged: 8,
  removed: 9,
} as const;
const changeKinds = ['put', 'remove', 'released'] as const;

/** Contents are saved in pieces of about this size. */
const pieceBytes = 1024 * 1024;

export function encodeItems(changes: readonly StoreChange[], packing: Packing): Buffer {
  const writer = new ByteWriter();
  for (const change of changes) {
    writer.byte(kinds[change.kind]);
    switch (change.kind) {
      case 'declared':
        writeCollection(writer, change.definition);
        break;
      case 'committed':
        writer.number(change.rows.length);
        for (const row of change.rows) writeRow(writer, row, packing);
        writer.number(change.released.length);
        for (const { collection, key, token } of change.released) {
          writeKey(writer, collection, key);
          writer.number(token);
        }
        break;
      case 'leased':
        writeLeases(writer, change.leases);
        break;
      case 'pruned':
        writer.number(change.horizon);
        break;
    }
  }
  return writer.bytes;
}

/** Everything in these contents, piece by piece. They must not change until the last piece was taken. */
export function* encodeContents(contents: Contents, packing: Packing): Generator<Buffer, void, undefined> {
  let writer = new ByteWriter();
  writer.byte(kinds.state);
  for (const number of [contents.head, contents.horizon, contents.token]) writer.number(number);
  for (const { known } of contents.tables) {
    writer.byte(kinds.declared);
    writeCollection(writer, known.definition);
  }
  for (const item of itemsOf(contents, packing)) {
    item(writer);
    if (writer.length < pieceBytes) continue;
    yield writer.bytes;
    writer = new ByteWriter();
  }
  yield writer.bytes;
}

function* itemsOf(contents: Contents, packing: Packing): Generator<(writer: ByteWriter) => void, void, undefined> {
  for (const [id, table] of contents.tables.entries()) {
    for (const { entry, until } of table.versions())
      yield (writer) =>
        writeSnapshotItem(writer, { kind: 'version', collection: id, version: { ...entry, until } }, packing);
    for (const entry of table.entries({ lower: '' as EncodedKey, upper: '\xff' as EncodedKey }))
      yield (writer) => writeSnapshotItem(writer, { kind: 'entry', collection: id, entry }, packing);
    for (const [key, lease] of table.leases)
      yield (writer) => {
        writer.byte(kinds.leased);
        writeLeases(writer, [{ ...lease, collection: id, key }]);
      };
  }
  for (const row of contents.log) yield (writer) => writeSnapshotItem(writer, { kind: 'logged', row }, packing);
}

export function writeSnapshotItem(writer: ByteWriter, item: SnapshotItem, packing: Packing): void {
  writer.byte(kinds[item.kind]);
  switch (item.kind) {
    case 'entry':
      writeEntry(writer, item.collection, item.entry, packing);
      break;
    case 'version':
      writeEntry(writer, item.collection, item.version, packing);
      writer.number(item.version.until);
      break;
    case 'logged':
      writer.number(item.row.revision);
      writer.byteString(encodeChanges(item.row.changes));
      break;
    case 'removed':
      writeKey(writer, item.collection, item.key);
      break;
  }
}

/** The items that `writeSnapshotItem` wrote. */
export function readSnapshotItems(bytes: Uint8Array): SnapshotItem[] {
  const reader = new ByteReader(bytes);
  const items: SnapshotItem[] = [];
  while (!reader.isAtEnd) {
    const kind = reader.byte();
    const item = readSnapshotItem(reader, kind);
    if (item === undefined) throw unknownKind(kind);
    items.push(item);
  }
  return items;
}

function readSnapshotItem(reader: ByteReader, kind: number): SnapshotItem | undefined {
  switch (kind) {
    case kinds.entry: {
      const { id, entry } = readEntry(reader);
      return { kind: 'entry', collection: id, entry };
    }
    case kinds.version: {
      const { id, entry } = readEntry(reader);
      return { kind: 'version', collection: id, version: { ...entry, until: reader.number() } };
    }
    case kinds.logged:
      return { kind: 'logged', row: readLogged(reader) };
    case kinds.removed:
      return { kind: 'removed', ...readKey(reader) };
    default:
      return undefined;
  }
}

function unknownKind(kind: number): StoreCorruptError {
  return new StoreCorruptError(`A journal is damaged: it has an item of the unknown kind ${kind}.`, { kind });
}

/** Applies what was encoded, in the order in which it was. */
export function applyItems(contents: Contents, bytes: Uint8Array): void {
  const reader = new ByteReader(bytes);
  while (!reader.isAtEnd) {
    const kind = reader.byte();
    switch (kind) {
      case kinds.declared:
        contents.apply([{ kind: 'declared', definition: readCollection(reader) }]);
        break;
      case kinds.committed: {
        const rows = times(reader.number(), () => readRow(reader));
        const released = times(reader.number(), () => ({ ...readKey(reader), token: reader.number() }));
        checkNext(contents, rows, released);
        contents.apply([{ kind: 'committed', rows, released }]);
        break;
      }
      case kinds.leased: {
        const leases = times(reader.number(), () => readLease(reader));
        for (const { collection } of leases) checkTable(contents, collection);
        contents.apply([{ kind: 'leased', leases }]);
        break;
      }
      case kinds.pruned:
        contents.apply([{ kind: 'pruned', horizon: reader.number() }]);
        break;
      case kinds.state:
        contents.head = reader.number();
        contents.horizon = reader.number();
        contents.token = reader.number();
        break;
      default: {
        const item = readSnapshotItem(reader, kind);
        if (item === undefined) throw unknownKind(kind);
        if (item.kind !== 'logged') checkTable(contents, item.collection);
        contents.restore(item);
      }
    }
  }
}

function checkNext(contents: Contents, rows: readonly CommittedRow[], released: readonly ReleasedLease[]): void {
  let next = contents.head;
  for (const { revision, changes } of rows) {
    if (revision !== ++next)
      throw new StoreCorruptError(`A journal is damaged: revision ${revision} is where ${next} should be.`, {
        revision,
      });
    for (const { collection } of changes) checkTable(contents, collection);
  }
  for (const { collection } of released) checkTable(contents, collection);
}

function checkTable(contents: Contents, id: number): void {
  if (id >= contents.tables.length)
    throw new StoreCorruptError(`A journal is damaged: it mentions collection ${id} before it was declared.`, { id });
}

function writeCollection(writer: ByteWriter, { name, holds, keeps, leased }: Collection): void {
  writer.text(name, 'utf8');
  writer.byte((holds === 'bytes' ? 1 : 0) | (keeps === 'versions' ? 2 : 0) | (leased ? 4 : 0));
}

function readCollection(reader: ByteReader): Collection {
  const name = reader.text('utf8');
  const flags = reader.byte();
  const keeps = (flags & 2) === 0 ? 'latest' : 'versions';
  if ((flags & 4) !== 0) return { name, holds: 'records', keeps: 'latest', leased: true };
  return (flags & 1) === 0
    ? { name, holds: 'records', keeps, leased: false }
    : { name, holds: 'bytes', keeps, leased: false };
}

function writeRow(writer: ByteWriter, { revision, changes }: CommittedRow, packing: Packing): void {
  writer.number(revision);
  writer.number(changes.length);
  for (const { kind, collection, key, value } of changes) {
    writer.byte(changeKinds.indexOf(kind));
    writeKey(writer, collection, key);
    if (kind === 'put') writeValue(writer, value as StoredValue, packing);
  }
}

function readRow(reader: ByteReader): CommittedRow {
  const revision = reader.number();
  const changes = times(reader.number(), (): WrittenChange => {
    const kind = changeKinds[reader.byte()];
    if (kind === undefined) throw new StoreCorruptError('A journal is damaged: it has a change of an unknown kind.');
    const { collection, key } = readKey(reader);
    return { kind, collection, key, value: kind === 'put' ? readValue(reader) : undefined };
  });
  return { revision, changes };
}

function writeEntry(writer: ByteWriter, id: number, { key, revision, value }: StoredEntry, packing: Packing): void {
  writeKey(writer, id, key);
  writer.number(revision);
  writeValue(writer, value, packing);
}

function readEntry(reader: ByteReader): { id: number; entry: StoredEntry } {
  const { collection, key } = readKey(reader);
  const revision = reader.number();
  return { id: collection, entry: { key, revision, value: readValue(reader) } };
}

function readLogged(reader: ByteReader): LogRow {
  const revision: Revision = reader.number();
  const changes: readonly LoggedChange[] = decodeChanges(revision, reader.byteString());
  return { revision, changes };
}

function writeLeases(writer: ByteWriter, leases: readonly StoredLease[]): void {
  writer.number(leases.length);
  for (const { collection, key, owner, token, expiresAt } of leases) {
    writeKey(writer, collection, key);
    writer.text(owner, 'utf8');
    writer.number(token);
    writer.double(expiresAt);
  }
}

function readLease(reader: ByteReader): StoredLease {
  return { ...readKey(reader), owner: reader.text('utf8'), token: reader.number(), expiresAt: reader.double() };
}

function writeKey(writer: ByteWriter, collection: number, key: EncodedKey): void {
  writer.number(collection);
  writer.text(key, 'latin1');
}

function readKey(reader: ByteReader): { collection: number; key: EncodedKey } {
  return { collection: reader.number(), key: reader.text('latin1') as EncodedKey };
}

function writeValue(writer: ByteWriter, value: StoredValue, packing: Packing): void {
  const { code, bytes } = typeof value === 'string' ? packText(value, packing) : packBytes(value, packing);
  writer.byte(code);
  writer.byteString(bytes);
}

function readValue(reader: ByteReader): StoredValue {
  const code = reader.byte();
  return unpack({ code, bytes: reader.byteString() });
}

function times<Item>(count: number, item: () => Item): Item[] {
  const items: Item[] = [];
  for (let index = 0; index < count; index++) items.push(item());
  return items;
}
