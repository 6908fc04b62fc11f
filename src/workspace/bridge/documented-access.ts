// Rules about members that are said elsewhere than in a declaration: in what describes a class or an object. They narrow what guest
// code can use, and not only what its author is told.
import { accessRules, type Access } from './access.ts';
import { rulesInSource } from './source-rules.ts';

const ofTarget = new WeakMap<object, readonly string[]>();
const ofName = new Map<string, readonly string[]>();
let changes = 0;

/** Withholds members of an object, of the objects of a class, or of those of every class of a name. It replaces what was said. */
export function withhold(target: object | string, acl: readonly string[]): void {
  const before = typeof target === 'string' ? ofName.get(target) : ofTarget.get(target);
  if (before === undefined && acl.length === 0) return;
  accessRules([{ acl }], undefined);
  if (typeof target === 'string') ofName.set(target, acl);
  else ofTarget.set(target, acl);
  changes++;
}

/** How often rules were said: what was worked out before the last time is not true any more. */
export function ruleChanges(): number {
  return changes;
}

/** Whether rules were said of an object, or of a class it is of. */
export function hasRules(levels: readonly object[]): boolean {
  return levels.some((level) => said(level).length > 0);
}

/** What rules leave of an object or class, given with the classes it is of, the nearest first; the same if there are none. */
export function narrowed(access: Access, levels: readonly object[], role: string | undefined): Access {
  const acl = levels.map(said).find((rules) => rules.length > 0);
  if (acl === undefined) return access;
  const rules = accessRules([{ acl }], role);
  return {
    sees: (member) => access.sees(member) && rules.sees(member),
    writes: (member) => access.writes(member) && rules.writes(member),
  };
}

/** What is said in code wins over declarations that were read, and those over the comments of the class. */
function said(level: object): readonly string[] {
  const own = [ofTarget.get(level), typeof level === 'function' ? ofName.get(level.name) : undefined];
  return own.find((rules) => rules !== undefined && rules.length > 0) ?? rulesInSource(level);
}
