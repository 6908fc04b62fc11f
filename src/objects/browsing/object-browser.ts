// Durable objects as rows, for people and programs that look at them without having their classes: which classes there are, their
// instances, one object with its fields, what refers to it, and what it was before.
import { InvalidOptionError } from '../../base/options.ts';
import { scanAll, type Key, type Revision, type Store } from '../../store/door.ts';
import { visitRecord } from '../collecting/references.ts';
import { referenceIn, type Encoded } from '../instances/encoded.ts';
import { idText, placeOf } from '../node.ts';
import { extentRows, nodeRows, tagRows, typeOf, type NodeRecord } from '../rows.ts';
import { defaultSpace } from '../spaces.ts';

/** A field as it is shown: data as JSON, a reference with its target. */
export type ShownField =
  | { readonly kind: 'data'; readonly value: null | boolean | number | string }
  | { readonly kind: 'reference'; readonly id: string; readonly type: string; readonly isWeak: boolean }
  | { readonly kind: 'other'; readonly type: string; readonly text: string };

/** An object or collection as it was at a revision. */
export interface ShownObject {
  readonly id: string;
  /** Its class, or `array`, `map`, `set`, `object`, `index`. */
  readonly type: string;
  /** The version of its class; undefined for collections. */
  readonly version: number | undefined;
  readonly fields: Readonly<Record<string, ShownField>>;
  readonly tags: readonly string[];
  /** How many elements a collection has, if its record says so. */
  readonly size: number | undefined;
  /** The revision that wrote it. */
  readonly revision: Revision;
}

/** One page of a listing. */
export interface ObjectPage {
  readonly objects: readonly ShownObject[];
  readonly cursor: string | undefined;
}

/** An object that refers to another one. */
export interface Referrer {
  readonly id: string;
  readonly type: string;
  /** The field; undefined for elements of collections. */
  readonly field: string | undefined;
}

/** What lists of referrers look at, at most. */
const maxScanned = 50_000;

/** Durable objects as rows, to look at without their classes. `kit.objects` is one. */
export class ObjectBrowser {
  readonly #store: Store;

  /** @internal */
  constructor(store: Store) {
    this.#store = store;
  }

  /** The classes that have instances in a space. */
  async classes(space = defaultSpace): Promise<readonly string[]> {
    const names: string[] = [];
    for (let from: Key = [space]; ;) {
      // One entry of each class, and then on to the next class.
      const { entries } = await this.#store.scan(extentRows, { prefix: [space], from }, { limit: 1 });
      const name = entries[0]?.key[1];
      if (typeof name !== 'string') return names;
      names.push(name);
      from = [space, `${name}\u0000`];
    }
  }

  /** Instances of a class, in the order in which they were created. */
  async instances(
    type: string,
    options: {
      readonly space?: string | undefined;
      readonly tag?: string | undefined;
      readonly limit?: number | undefined;
      readonly cursor?: string | undefined;
      readonly at?: Revision | undefined;
    } = {},
  ): Promise<ObjectPage> {
    const { space = defaultSpace, tag, limit = 100, cursor, at } = options;
    const page =
      tag === undefined
        ? await this.#store.scan(extentRows, { prefix: [space, type] }, { limit, cursor, at })
        : await this.#store.scan(tagRows, { prefix: [space, tag] }, { limit, cursor, at });
    const keys = page.entries
      .filter(({ value }) => value.class === type)
      .map(({ key }): Key => [space, String(key[2])]);
    const rows = keys.length === 0 ? [] : await this.#store.read(nodeRows, keys, { at });
    return {
      objects: rows.flatMap((row) => (row === undefined ? [] : [shown(row.key, row.value, row.revision)])),
      cursor: page.cursor,
    };
  }

  /** An object or collection by its id, now or at a revision; undefined if there is none. */
  async object(id: string, options: { readonly at?: Revision | undefined } = {}): Promise<ShownObject | undefined> {
    const place = placeOf(checked(id));
    const [row] = await this.#store.read(nodeRows, [[place.space, place.id]], options);
    return row && shown(row.key, row.value, row.revision);
  }

  /** What an object was, newest first, as far back as versions are kept. */
  async *history(id: string): AsyncGenerator<ShownObject, void, undefined> {
    const place = placeOf(checked(id));
    let at: Revision | undefined;
    for (;;) {
      const [row] = await this.#store
        .read(nodeRows, [[place.space, place.id]], { at })
        .catch((error: unknown) => (isGone(error) ? [undefined] : Promise.reject(error as Error)));
      if (row === undefined) return;
      yield shown(row.key, row.value, row.revision);
      if (row.revision <= 1) return;
      at = row.revision - 1;
    }
  }

  /** What refers to an object. Looks at a bounded number of objects, because references are stored one way only. */
  async referrers(id: string): Promise<{ readonly referrers: readonly Referrer[]; readonly isPartial: boolean }> {
    const target = placeOf(checked(id));
    const wanted = idText(target.space, target.id);
    const referrers: Referrer[] = [];
    let scanned = 0;
    for await (const { key, value } of scanAll(this.#store, nodeRows, { prefix: [target.space] })) {
      if (++scanned > maxScanned) return { referrers, isPartial: true };
      for (const field of fieldsReferringTo(value, wanted, target.space))
        referrers.push({ id: idText(target.space, String(key[1])), type: typeOf(value), field });
    }
    return { referrers, isPartial: false };
  }
}

function checked(id: unknown): string {
  if (typeof id === 'string' && id !== '' && id.length <= 1000) return id;
  throw new InvalidOptionError('The id of an object is a text of 1 to 1000 characters.', { name: 'id' });
}

function isGone(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'STORE_REVISION_GONE';
}

function shown(key: Key, record: NodeRecord, revision: Revision): ShownObject {
  const id = idText(String(key[0]), String(key[1]));
  if (!('class' in record)) {
    const root = Object.values(record)[0] as { readonly size?: number; readonly items?: readonly unknown[] };
    const size = root.size ?? root.items?.length;
    return { id, type: typeOf(record), version: undefined, fields: {}, tags: [], size, revision };
  }
  const fields = Object.entries(record.fields).map(([name, value]) => [name, shownField(value)] as const);
  const { class: type, version, tags = [] } = record;
  return { id, type, version, fields: Object.fromEntries(fields), tags, size: undefined, revision };
}

function shownField(value: Encoded): ShownField {
  const reference = referenceIn(value);
  if (reference !== undefined) {
    const [kind, id, name] = reference;
    return { kind: 'reference', id, type: name ?? kind, isWeak: (value as readonly unknown[])[0] === 'weak' };
  }
  if (!Array.isArray(value)) return { kind: 'data', value: value as null | boolean | number | string };
  const [type, ...rest] = value as readonly (string | null)[];
  return { kind: 'other', type: String(type), text: rest.map(String).join('.') };
}

function fieldsReferringTo(record: NodeRecord, wanted: string, space: string): (string | undefined)[] {
  const isIt = (value: Encoded): boolean => {
    const id = referenceIn(value)?.[1];
    if (id === undefined) return false;
    const place = placeOf(id, space);
    return idText(place.space, place.id) === wanted;
  };
  if ('class' in record) return Object.entries(record.fields).flatMap(([name, value]) => (isIt(value) ? [name] : []));
  const found: Encoded[] = [];
  visitRecord(record, (value) => {
    if (isIt(value)) found.push(value);
  });
  return found.length > 0 ? [undefined] : [];
}
