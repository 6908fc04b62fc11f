// What somebody bound to a set of specifiers reads and writes.
import { StatekError } from '../../base/error.ts';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import type { Json } from '../../history/door.ts';
import { scanAll, type Transaction } from '../../store/door.ts';
import { planForget, planRemember, type PlannedChange } from './change.ts';
import { commitPlanned } from './commit-planned.ts';
import { subsetsOf, type MemoryContext } from './contexts.ts';
import { factFrom, isExpired, type OpenMemory } from './fact.ts';
import { factRows, type Fact } from './rows.ts';

/** The job may read the memory, and not write to it. */
export class MemoryReadOnlyError extends StatekError {
  readonly code = 'MEMORY_READ_ONLY';
}

type RememberOptions = NonNullable<Parameters<MemoryBinding['remember']>[2]>;

const maxNameLength = 200;

/** What is remembered for one set of specifiers: recall, search, remember, forget. Made by `kit.memory.bind(…)`. */
export class MemoryBinding {
  readonly isReadonly: boolean;
  readonly #memory: OpenMemory;
  readonly #context: MemoryContext;

  /** @internal */
  constructor(memory: OpenMemory, context: MemoryContext, isReadonly: boolean) {
    this.#memory = memory;
    this.#context = context;
    this.isReadonly = isReadonly;
  }

  get specifiers(): readonly string[] {
    return this.#context.specifiers;
  }

  /** The facts of every context that is a subset of this one, by name; of one name, the newest. */
  async recall(options: { readonly category?: string | undefined } = {}): Promise<Fact[]> {
    refuseUnknownOptions('recall', options, { category: true });
    if (options.category !== undefined) this.#checkCategory(options.category);
    const { store, clock } = this.#memory;
    const newest = new Map<string, Fact>();
    for (const id of await subsetsOf(store, this.#context)) {
      for await (const { value, revision } of scanAll(store, factRows, { prefix: [id] })) {
        const known = newest.get(value.name);
        if (!isExpired(value, clock.now()) && (known === undefined || known.revision < revision))
          newest.set(value.name, factFrom(value, revision));
      }
    }
    return [...newest.values()]
      .filter(({ category }) => options.category === undefined || category === options.category)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async get(name: string): Promise<Fact | undefined> {
    checkName(name);
    const { store, clock } = this.#memory;
    const ids = await subsetsOf(store, this.#context);
    const entries = await store.read(
      factRows,
      ids.map((id) => [id, name]),
    );
    const facts = entries.flatMap((entry) => (entry === undefined ? [] : [factFrom(entry.value, entry.revision)]));
    return facts.filter((fact) => !isExpired(fact, clock.now())).toSorted((a, b) => b.revision - a.revision)[0];
  }

  /** Facts whose name or value has every word of the query; those with words in their name first, then the newest. */
  async search(
    query: string,
    options: { readonly category?: string | undefined; readonly limit?: number | undefined } = {},
  ): Promise<Fact[]> {
    refuseUnknownOptions('search', options, { category: true, limit: true });
    const words = query
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const found = (await this.recall({ category: options.category })).flatMap((fact) => {
      const name = fact.name.toLowerCase();
      const text = `${name} ${JSON.stringify(fact.value).toLowerCase()}`;
      const inName = words.filter((word) => name.includes(word)).length;
      return words.every((word) => text.includes(word)) ? [{ fact, inName }] : [];
    });
    return found
      .toSorted((a, b) => b.inName - a.inName || b.fact.revision - a.fact.revision)
      .slice(0, options.limit ?? 20)
      .map(({ fact }) => fact);
  }

  /**
   * Writes a fact to the context of exactly these specifiers, in place of one of that name there. Its category is ENTITY by
   * default; after `expiresIn` milliseconds nobody reads it any more.
   */
  async remember(
    name: string,
    value: Json,
    options: { readonly category?: string | undefined; readonly expiresIn?: number | undefined } = {},
  ): Promise<Fact> {
    let fact: Fact | undefined;
    await commitPlanned(
      this.#memory.store,
      () => this.#plan(name, value, options),
      ({ row }, revision) => {
        fact = factFrom(row, revision);
      },
    );
    return fact as Fact;
  }

  /** @internal The same as a transaction, to be part of a larger one. It does not hold if the memory has changed since. */
  async planRemember(name: string, value: Json, options: RememberOptions = {}): Promise<Transaction> {
    return (await this.#plan(name, value, options)).transaction;
  }

  /** Removes a fact from the context of exactly these specifiers; whether there was one. */
  forget(name: string): Promise<boolean> {
    this.#checkWritable('forget', name);
    return commitPlanned(this.#memory.store, () => planForget(this.#memory.store, this.#context, name));
  }

  #plan(name: string, value: Json, options: RememberOptions): Promise<PlannedChange> {
    refuseUnknownOptions('remember', options, { category: true, expiresIn: true });
    this.#checkWritable('remember', name);
    const { category = 'ENTITY', expiresIn } = options;
    this.#checkCategory(category);
    if (expiresIn !== undefined && !(Number.isSafeInteger(expiresIn) && expiresIn > 0))
      throw new InvalidOptionError(`remember: 'expiresIn' must be a number of milliseconds, not ${String(expiresIn)}.`);
    const updated = this.#memory.clock.now();
    return planRemember(this.#memory.store, this.#context, {
      name,
      value,
      category,
      updated,
      ...(expiresIn === undefined ? {} : { expires: updated + expiresIn }),
    });
  }

  #checkWritable(what: string, name: string): void {
    checkName(name);
    if (this.isReadonly)
      throw new MemoryReadOnlyError(`${what}: this job may read what is remembered, and not change '${name}'.`, {
        name,
      });
  }

  #checkCategory(category: string): void {
    const { categories } = this.#memory;
    if (!categories.includes(category))
      throw new InvalidOptionError(`There is no category '${category}'; there are ${categories.join(', ')}.`, {
        category,
        categories,
      });
  }
}

function checkName(name: string): void {
  if (typeof name !== 'string' || name.trim() === '' || name.length > maxNameLength)
    throw new InvalidOptionError(`A fact's name is a text of 1 to ${maxNameLength} characters.`, { name });
}
