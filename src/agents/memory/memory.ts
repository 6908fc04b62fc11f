// What jobs remember for other jobs: facts, each with a name, kept under a *context*, a set of specifiers such as a user
// and a project.
//
//     const memory = await Memory.open(store);
//     const mine = memory.bind(['company:acme', user]);
//     await mine.remember('meetingLength', 25, { category: 'PREFERENCE' });
//     await memory.bind([user, 'company:acme', 'project:x']).recall();   // has it
//     await memory.bind([user]).recall();                                // has not
//
// Who is bound to specifiers reads every context whose set is a subset of theirs; of facts with one name the newest wins. They write to
// the context of exactly their set. Strings and durable objects are specifiers; the context without any is for everybody. Each change is one
// transaction. A fact may expire: from then on nobody reads it, and `purge` removes it.
import { systemClock, type Clock } from '../../base/clock.ts';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import type { Store } from '../../store/door.ts';
import { MemoryBinding } from './binding.ts';
import { planForget } from './change.ts';
import { commitPlanned } from './commit-planned.ts';
import { contextOf } from './contexts.ts';
import { factFrom, isExpired } from './fact.ts';
import { expiryRows, factRows, memoryCollections, type Fact } from './rows.ts';

export interface MemoryOptions {
  readonly clock?: Clock | undefined;
  /** Categories in addition to the three. */
  readonly categories?: readonly string[] | undefined;
}

const builtInCategories = ['PREFERENCE', 'ENTITY', 'VOCABULARY'] as const;

/** What is remembered across jobs: facts, kept under sets of specifiers such as a user and a project. A kit has one as `kit.memory`. */
export class Memory {
  /** @internal */
  readonly store: Store;
  /** @internal */
  readonly clock: Clock;
  /** The categories a fact can have. */
  readonly categories: readonly string[];

  /** @internal */
  static async open(store: Store, options: MemoryOptions = {}): Promise<Memory> {
    refuseUnknownOptions('Memory', options, { clock: true, categories: true });
    for (const category of options.categories ?? [])
      if (!/^[A-Z][A-Z0-9_]{0,59}$/.test(category))
        throw new InvalidOptionError(`Memory: the category '${category}' must be a name in capitals, as in RULE.`);
    await store.declare(...memoryCollections);
    return new Memory(store, options);
  }

  private constructor(store: Store, options: MemoryOptions) {
    this.store = store;
    this.clock = options.clock ?? systemClock;
    this.categories = [...new Set([...builtInCategories, ...(options.categories ?? [])])];
  }

  /** What somebody bound to these specifiers, strings or durable objects, reads and writes; with `readonly`, only reads. */
  bind(
    specifiers: readonly (string | object)[],
    options: { readonly readonly?: boolean | undefined } = {},
  ): MemoryBinding {
    refuseUnknownOptions('bind', options, { readonly: true });
    return new MemoryBinding(this, contextOf(specifiers), options.readonly === true);
  }

  /** @internal The same by specifiers in the words of the store. */
  bound(specifiers: readonly string[], isReadonly: boolean): MemoryBinding {
    return new MemoryBinding(this, contextOf(specifiers, 'stored'), isReadonly);
  }

  /** All facts, page by page, for administration; give `cursor` to the next call until it is undefined. */
  async list(
    options: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
  ): Promise<{ readonly facts: readonly Fact[]; readonly cursor: string | undefined }> {
    refuseUnknownOptions('list', options, { limit: true, cursor: true });
    const page = await this.store.scan(factRows, {}, options);
    const facts = page.entries.map(({ value, revision }) => factFrom(value, revision));
    return { facts: facts.filter((fact) => !isExpired(fact, this.clock.now())), cursor: page.cursor };
  }

  /** Removes what has expired; returns how much. */
  async purge(limit = 1000): Promise<number> {
    const due = await this.store.scan(expiryRows, { to: [this.clock.now() + 1] }, { limit });
    let removed = 0;
    for (const { value } of due.entries) {
      const { specifiers, name } = value;
      const wasRemoved = await commitPlanned(this.store, async () => {
        const change = await planForget(this.store, contextOf(specifiers, 'stored'), name);
        // It may have been written anew since.
        return change?.row.expires !== undefined && change.row.expires <= this.clock.now() ? change : undefined;
      });
      if (wasRemoved) removed++;
    }
    return removed;
  }
}
