// Rules about members: which guest code may see, and which it may assign. A list of rules such as `+ *`, `- secret`,
// `+ find*`, `- salary: Clerk, Guest` is read in order, and the last that matches decides; what none matches is withheld.
import { InvalidOptionError } from '../../base/options.ts';
import type { DurableOptions } from '../../objects/door.ts';

export interface Access {
  sees(member: string): boolean;
  writes(member: string): boolean;
}

interface Rule {
  readonly allows: boolean;
  readonly pattern: string;
  /** Only for these roles; default: all. */
  readonly roles: readonly string[] | undefined;
}

type Withheld = Pick<DurableOptions, 'hidden' | 'readonly' | 'acl'>;

/** What the declarations of a class and its bases, nearest first, leave to a role. */
export function accessRules(declared: readonly Withheld[], role: string | undefined): Access {
  const hidden = new Set(declared.flatMap((options) => options.hidden ?? []));
  const isReadonly = declared.some((options) => options.readonly === true);
  const readonly = new Set(
    declared.flatMap((options) => (Array.isArray(options.readonly) ? (options.readonly as string[]) : [])),
  );
  const rules = rulesOf(declared.find(({ acl }) => acl !== undefined)?.acl);
  const sees = (member: string): boolean =>
    !isPrivate(member) && !hidden.has(member) && (rules === undefined || isAllowed(rules, member, role));
  return { sees, writes: (member) => sees(member) && !isReadonly && !readonly.has(member) };
}

/** The convention for internal names; and names through which one object would lead to its class. */
export function isPrivate(name: string): boolean {
  return name.startsWith('_') || name === 'constructor' || name === 'prototype';
}

function isAllowed(rules: readonly Rule[], member: string, role: string | undefined): boolean {
  let allows = false;
  for (const rule of rules) {
    if (rule.roles !== undefined && (role === undefined || !rule.roles.includes(role))) continue;
    const { pattern } = rule;
    if (pattern.endsWith('*') ? member.startsWith(pattern.slice(0, -1)) : member === pattern) ({ allows } = rule);
  }
  return allows;
}

function rulesOf(acl: DurableOptions['acl']): readonly Rule[] | undefined {
  if (acl === undefined) return undefined;
  const lines = (typeof acl === 'string' ? acl.split('\n') : acl).map((line) =>
    line.replace(/^\s*STATEK-ACL:?/, '').trim(),
  );
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [, sign, pattern, roles] = /^([+-])\s*([\w$]*\*?)\s*(?::\s*(.+))?$/.exec(line) ?? [];
      if (sign === undefined || pattern === undefined || pattern === '')
        throw new InvalidOptionError(
          `'${line}' is not a rule of an ACL. Write '+ name', '- name', '+ prefix*' or '- name: RoleA, RoleB'.`,
          { line },
        );
      return { allows: sign === '+', pattern, roles: roles?.split(',').map((role) => role.trim()) };
    });
}
