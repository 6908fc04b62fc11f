// Brings stored objects to the form their class has now, when they are looked at. What was migrated is written with the
// next change of the same transaction; looking alone writes nothing.
import { adopt } from './adopt.ts';
import { decode } from './decode.ts';
import { firstValuesOf, type Declaration, type Fields } from '../declaration.ts';
import type { Encoded } from './encoded.ts';
import { DurableClassError } from '../errors.ts';
import type { Node } from '../object-graph.ts';
import { nodeRows, type InstanceRecord } from '../rows.ts';

const current = new WeakSet<InstanceRecord>();
/** Records of objects whose constructor may still be defining their fields. */
const fresh = new WeakSet<InstanceRecord>();

/** Says that a record is of an object that was made in this transaction, or follows from such a one. */
export function markFresh(record: InstanceRecord, from: InstanceRecord = record): void {
  if (from === record || fresh.has(from)) fresh.add(record);
}

export function migrated(node: Node, declaration: Declaration, record: InstanceRecord): InstanceRecord {
  if (current.has(record)) return record;
  const { version, options, name } = declaration;
  if (record.version > version)
    throw new DurableClassError(
      `A stored ${name} has version ${record.version}, and this program knows version ${version}. Run the newer program.`,
      { class: name, stored: record.version, known: version },
    );
  const missing = Object.entries(options.defaults ?? {}).filter(([field]) => !Object.hasOwn(record.fields, field));
  const first = fresh.has(record) ? [] : firstValuesMissing(declaration, record, record.fields);
  if (record.version === version && missing.length === 0 && first.length === 0) {
    // What is fresh now is whole when its constructor has ended, and then it is looked at anew.
    if (!fresh.has(record)) current.add(record);
    return record;
  }
  const { objects, space, id, key } = node;
  const transaction = objects.transactionNow();
  // Not a change of the application's: it must be possible where nothing may be written, and commit nothing by itself.
  const migrate = (): InstanceRecord => {
    let { fields } = record;
    if (record.version < version) {
      fields = renamed(fields, options.renames ?? {});
      if (options.migrate !== undefined) fields = rewritten(node, declaration, fields, record.version);
    }
    for (const [field, value] of Object.entries(options.defaults ?? {}))
      if (!Object.hasOwn(fields, field))
        fields = { ...fields, [field]: adopt(objects, space, value, `${name}.durable.defaults.${field}`) };
    if (!fresh.has(record))
      for (const [field, value] of firstValuesMissing(declaration, record, fields)) {
        const adopted = (): Encoded => adopt(objects, space, value, `${name}.${field}`);
        // Told apart by the field, so that a field that comes later has ids of its own.
        fields = { ...fields, [field]: objects.derivingIds(id, adopted, field) };
      }
    const after: InstanceRecord = { ...record, version, fields };
    transaction.put(nodeRows, key, after);
    if (fresh.has(record)) fresh.add(after);
    else current.add(after);
    return after;
  };
  return transaction.aside(() => objects.derivingIds(id, migrate), !objects.spaces.isReadonly(space));
}

/** First values of fields that an object does not have: it is older than they are. */
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
    // A field of the new name wins over one of the old, unless it is renamed itself.
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
    throw new DurableClassError(`${name}.durable.migrate must return the fields, or change those it is given.`);
  const after: Record<string, Encoded> = {};
  for (const [field, value] of Object.entries(returned))
    after[field] = adopt(objects, space, value, `${name}.${field} (migrated)`);
  return after;
}
