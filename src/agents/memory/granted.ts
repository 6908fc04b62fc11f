// What a job may bind the jobs it starts to: what it is bound to itself, or less.
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { contextOf } from './contexts.ts';

/** Which part of what is remembered a job reads and writes. */
export interface MemoryOptions {
  /** Texts and durable objects. */
  readonly specifiers: readonly (string | object)[];
  readonly readonly?: boolean | undefined;
}

/** What a job is bound to, in the words of the store. */
export type StoredBinding = {
  /** As `MemoryContext` has them. */
  readonly specifiers: readonly string[];
  readonly readonly?: boolean;
};

interface BindingInput {
  readonly memory?: MemoryOptions | boolean | undefined;
  /** What the job that started it is bound to. */
  readonly within?: StoredBinding | undefined;
}

/**
 * The binding of a job. What the application binds a job to holds; what a program binds another job to must be within its
 * own binding. Of less than that it can only read: facts of a smaller set are also those of others.
 */
export function bindingOf({ memory, within }: BindingInput, isChild: boolean): StoredBinding | undefined {
  if (memory === undefined || memory === false) return undefined;
  if (memory !== true) refuseUnknownOptions('memory', memory, { specifiers: true, readonly: true });
  if (!isChild) {
    if (memory === true)
      throw new InvalidOptionError("memory: 'true' is for jobs that a job starts; say { specifiers }.", {
        name: 'memory',
      });
    const { specifiers } = contextOf(memory.specifiers);
    return { specifiers, ...(memory.readonly === true ? { readonly: true } : {}) };
  }
  if (within === undefined)
    throw new InvalidOptionError('memory: the job that started this one is not bound to any memory.', {
      name: 'memory',
    });
  const specifiers = memory === true ? within.specifiers : contextOf(memory.specifiers).specifiers;
  const outside = specifiers.find((one) => !within.specifiers.includes(one));
  if (outside !== undefined)
    throw new InvalidOptionError(
      `memory: '${outside.slice(2)}' is not among the specifiers of the job that started this one.`,
      { name: 'memory', specifier: outside },
    );
  const isLess = specifiers.length < within.specifiers.length;
  const isReadonly = isLess || within.readonly === true || (memory !== true && memory.readonly === true);
  return { specifiers, ...(isReadonly ? { readonly: true } : {}) };
}
