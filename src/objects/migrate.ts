// Brings stored objects to the form their class has now, when they are looked at. What was migrated is written with the
// next change of the same transaction; looking alone writes nothing.
import { adopt } from './adopt.ts';
import { decode } from './decode.ts';
import type { Declaration, Fields } from './declaration.ts';
import type { Encoded } from './encoded.ts';
import { DurableClassError } from './errors.ts';
import type { Node } from './object-graph.ts';
import { nodeRows, type InstanceRecord } from './rows.ts';

const current = new WeakSet<InstanceRecord>();

export function migrated(node: Node, declaration: Declaration, record: InstanceRecord): InstanceRecord {
  if (current.has(record)) return record;
  const { version, options, name } = declaration;
  if (record.version > version)
    throw new DurableClassError(
      `A stored ${name} has version ${record.version}, and this program knows version ${version}. Run the newer program.`,
      { class: name, stored: record.version, known: version },
    );
  const missing = Object.entries(options.defaults ?? {}).filter(([field]) => !Object.hasOwn(record.fields, field));
  if (record.version === version && missing.length === 0) {
    current.add(record);
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
    const after: InstanceRecord = { ...record, version, fields };
    transaction.put(nodeRows, key, after);
    current.add(after);
    return after;
  };
  return transaction.aside(() => objects.derivingIds(id, migrate), !objects.spaces.isReadonly(space));
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
