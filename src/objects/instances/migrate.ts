// Migrates stored objects to the current version of their class when they are read. The result is written with the next
// change in the same transaction; reading alone writes nothing.
import { adopt } from './adopt.ts';
import { decode } from './decode.ts';
import { firstValuesOf, type Declaration, type Fields } from '../declaration.ts';
import type { Encoded } from './encoded.ts';
import { DurableClassError } from '../errors.ts';
import { derivedPart } from '../node.ts';
import type { Node } from '../object-graph.ts';
import { nodeRows, type InstanceRecord } from '../rows.ts';

const current = new WeakSet<InstanceRecord>();
/** Records of objects whose constructor may still be running. */
const fresh = new WeakSet<InstanceRecord>();

/** Marks the record of an object created in this transaction, or a record derived from such a one. */
export function markFresh(record: InstanceRecord, from: InstanceRecord = record): void {
  if (from === record || fresh.has(from)) fresh.add(record);
}

export function migrated(node: Node, declaration: Declaration, record: InstanceRecord): InstanceRecord {
  if (current.has(record)) return record;
  const { version, options, name } = declaration;
  if (record.version > version)
    throw new DurableClassError(
      `A stored ${name} has version ${record.version}; this program declares version ${version}. Run the newer program.`,
      { class: name, stored: record.version, known: version },
    );
  const missing = defaultsMissing(declaration, record, record.fields);
  const first = fresh.has(record) ? [] : firstValuesMissing(declaration, record, record.fields);
  if (record.version === version && missing.length === 0 && first.length === 0) {
    // A fresh record is incomplete until its constructor has ended, so it is checked again later.
    if (!fresh.has(record)) current.add(record);
    return record;
  }
  const { objects, space, id, key } = node;
  const transaction = objects.transactionNow();
  // Not a change by the application: allowed where nothing may be written, and never committed by itself.
  // Ids derive from the field, so that fields added later get their own. For a field that a migration removed and that
  // comes back, they also derive from the version, because the earlier node may still exist.
  const adoptedInto = (field: string, value: unknown, path: string): Encoded => {
    const part = derivedPart(Object.hasOwn(record.fields, field) ? { field, version } : { field });
    return objects.derivingIds(id, part, () => adopt(objects, space, value, path));
  };
  const migrate = (): InstanceRecord => {
    let { fields } = record;
    if (record.version < version) {
      fields = renamed(fields, options.renames ?? {});
      const before = fields;
      // Ids derive from the version, so that a later migration gets its own.
      if (options.migrate !== undefined)
        fields = objects.derivingIds(id, derivedPart({ version }), () =>
          rewritten(node, declaration, before, record.version),
        );
    }
    for (const [field, value] of defaultsMissing(declaration, record, fields))
      fields = { ...fields, [field]: adoptedInto(field, value, `${name}.durable.defaults.${field}`) };
    if (!fresh.has(record))
      for (const [field, value] of firstValuesMissing(declaration, record, fields))
        fields = { ...fields, [field]: adoptedInto(field, value, `${name}.${field}`) };
    const after: InstanceRecord = { ...record, version, fields };
    transaction.put(nodeRows, key, after);
    if (fresh.has(record)) fresh.add(after);
    else current.add(after);
    return after;
  };
  return transaction.aside(migrate, !objects.spaces.isReadonly(space));
}

/** Defaults for missing fields that were not deleted. */
function defaultsMissing(
  { options }: Declaration,
  { deleted = [] }: InstanceRecord,
  fields: InstanceRecord['fields'],
): (readonly [string, unknown])[] {
  return Object.entries(options.defaults ?? {}).filter(
    ([field]) => !Object.hasOwn(fields, field) && !deleted.includes(field),
  );
}

/** Initial values for fields that are newer than the object. */
function firstValuesMissing(
  declaration: Declaration,
  { deleted = [] }: InstanceRecord,
  fields: InstanceRecord['fields'],
): (readonly [string, unknown])[] {
  return [...firstValuesOf(declaration)].filter(([field]) => !Object.hasOwn(fields, field) && !deleted.includes(field));
}

function renamed(
  fields: InstanceRecord['fields'],
  renames: Readonly<Record<string, string>>,
): Readonly<Record<string, Encoded>> {
  const isRenamed = (field: string): boolean => Object.hasOwn(renames, field);
  const entries = Object.entries(fields).map(([field, value]): [string, Encoded] => {
    const after = isRenamed(field) ? (renames[field] as string) : field;
    // An existing field with the new name takes precedence, unless it is renamed itself.
    return [Object.hasOwn(fields, after) && !isRenamed(after) ? field : after, value];
  });
  return Object.fromEntries(entries);
}

function rewritten(
  { objects, space }: Node,
  { options, name }: Declaration,
  fields: InstanceRecord['fields'],
  version: number,
): Readonly<Record<string, Encoded>> {
  const given: Fields = {};
  for (const [field, value] of Object.entries(fields)) given[field] = decode(objects, space, value);
  const returned = options.migrate?.(given, version) ?? given;
  if (typeof returned !== 'object' || returned instanceof Promise)
    throw new DurableClassError(`${name}.durable.migrate must return the fields as an object, or change its argument.`);
  const after: Record<string, Encoded> = {};
  for (const [field, value] of Object.entries(returned))
    after[field] = adopt(objects, space, value, `${name}.${field} (migrated)`);
  return after;
}
