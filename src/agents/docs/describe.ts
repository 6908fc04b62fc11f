// What the application says in code about its objects, classes and functions. It wins over every comment.
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { AccessRuleError, withhold } from '../../workspace/door.ts';
import { parseDocComment } from './syntax/doc-comment.ts';

/** What a model is told about a class, an object or a function. */
export interface Description {
  /** As a doc comment says it: the first paragraph is the brief; `@param`, `@returns` and so on; rules of `STATEK-ACL` lines hold. */
  readonly doc?: string | undefined;
  /** In TypeScript: `(title: string) => Meeting | undefined` for a function, a type for a field. */
  readonly type?: string | undefined;
  /** Members of a class or object; a text is its `doc`. */
  readonly members?: Readonly<Record<string, string | Omit<Description, 'members'>>> | undefined;
}

export type MemberDescription = Omit<Description, 'members'>;

const descriptions = new WeakMap<object, Description>();

function isDescribable(target: unknown): boolean {
  return (typeof target === 'object' && target !== null) || typeof target === 'function';
}

/** Says what a model is told about a class, an object or a function; returns it. */
export function describe<Target extends object>(target: Target, description: string | Description): Target {
  if (!isDescribable(target))
    throw new InvalidOptionError('describe: only objects, classes and functions can be described.');
  const given = typeof description === 'string' ? { doc: description } : description;
  refuseUnknownOptions('describe', given, { doc: true, type: true, members: true });
  for (const [name, member] of Object.entries(given.members ?? {}))
    if (typeof member !== 'string') refuseUnknownOptions(`describe: ${name}`, member, { doc: true, type: true });
  for (const [name, member] of Object.entries(given.members ?? {})) {
    const { acl } = parseDocComment((typeof member === 'string' ? member : member.doc) ?? '');
    if (acl.length > 0)
      throw new AccessRuleError(
        `describe: '${name}' has a STATEK-ACL line, which rules nothing there. Put it in the 'doc' of the whole.`,
        { name },
      );
  }
  withhold(target, given.doc === undefined ? [] : parseDocComment(given.doc).acl);
  descriptions.set(target, given);
  return target;
}

export function descriptionOf(target: object): Description | undefined {
  return descriptions.get(target);
}
