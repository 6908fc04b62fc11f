// Rules about members that stand in the comments of a class: before it, or inside its body. A rule that is written down
// must hold, so what is found and cannot hold is an error.
import { parseExpression } from '@babel/parser';
import { StatekError } from '../../base/error.ts';
import { accessRules } from './access.ts';
import { commentsBeforeClasses, type ClassComment } from './class-comments.ts';
import { scriptOf, type ScriptPlace } from './script-source.ts';

/** A class has STATEK-ACL lines that cannot hold where they stand. */
export class AccessRuleError extends StatekError {
  readonly code = 'ACCESS_RULE';
}

type AnyClass = abstract new (...parameters: never[]) => unknown;

const word = 'STATEK-ACL';
const known = new WeakMap<object, readonly string[]>();

/** The rules in the comments of a class, in the order in which they stand; none if there are none, or no source. */
export function rulesInSource(target: object): readonly string[] {
  let rules = known.get(target);
  if (rules === undefined) known.set(target, (rules = typeof target === 'function' ? read(target as AnyClass) : []));
  return rules;
}

function read(target: AnyClass): readonly string[] {
  const text = Function.prototype.toString.call(target);
  if (!text.startsWith('class') && !text.startsWith('@')) return [];
  const rules = [...rulesBefore(target, text), ...rulesInside(target.name, text)];
  if (rules.length > 0) accessRules([{ acl: rules }], undefined);
  return rules;
}

/**
 * Takes STATEK-ACL lines, and the rules that follow one, out of a text. Whatever looks like a rule is taken for one: it is
 * refused later if it is none, where prose would be dropped in silence.
 */
export function takeAcl(text: string): { readonly text: string; readonly acl: readonly string[] } {
  const acl: string[] = [];
  const kept: string[] = [];
  let inRules = false;
  for (const line of text.split('\n')) {
    const [, rule] = /^\s*STATEK-ACL:?(.*)$/.exec(line) ?? [];
    if (rule !== undefined) {
      inRules = true;
      if (rule.trim() !== '') acl.push(rule.trim());
    } else if (inRules && /^\s*[+-]/.test(line)) acl.push(line.trim());
    else {
      inRules = false;
      if (/STATEK-ACL:?\s*[+-]/.test(line))
        throw new AccessRuleError(
          `'${line.trim()}': a ${word} line begins with that word. Put it on a line of its own.`,
        );
      kept.push(line);
    }
  }
  if (acl.length === 0 && kept.length < text.split('\n').length)
    throw new AccessRuleError(
      `A ${word} line has no rule. Write '+ name', '- name', '+ prefix*' or '- name: RoleA, RoleB'.`,
    );
  return { text: kept.join('\n'), acl };
}

/** Comments with a rule. Lines that follow one another are one comment. `places` are those in the text within brackets. */
function joined(places: readonly Comment[], text: string): Comment[] {
  const comments: { start: number; end: number; value: string }[] = [];
  for (const { start, end, value } of places) {
    const last = comments.at(-1);
    if (last !== undefined && text.slice(last.end - 1, start - 1).trim() === '') {
      last.end = end;
      last.value += `\n${value}`;
    } else comments.push({ start, end, value });
  }
  return comments.filter(({ value }) => value.includes(word));
}

interface Placed {
  readonly start: number;
  readonly end: number;
}

interface Comment extends Placed {
  readonly value: string;
}

/** Rules in comments between the members of a class, given as its text. Those inside a member are rules of nothing. */
export function rulesInside(name: string, text: string): readonly string[] {
  if (!text.includes(word)) return [];
  let comments: readonly Comment[];
  let members: readonly Placed[];
  try {
    const parsed = parseExpression(`(${text})`, {
      plugins: ['typescript', 'decorators', 'decoratorAutoAccessors'],
      errorRecovery: true,
      attachComment: false,
    }) as unknown as {
      readonly comments?: readonly Comment[];
      readonly body: { readonly body: readonly Placed[] };
    };
    comments = joined(parsed.comments ?? [], text);
    members = parsed.body.body;
  } catch (error) {
    throw new AccessRuleError(
      `The class '${name}' has a ${word} line, but its source cannot be read: ${String(error)}. Say its rules in static durable = { acl }, or with describe(${name}, …).`,
      { class: name },
      error,
    );
  }
  const lost = comments.find((one) => members.some(({ start, end }) => start < one.start && one.end < end));
  if (lost !== undefined)
    throw new AccessRuleError(
      `The class '${name}' has a ${word} line inside a member, where it rules nothing. Move it before the class, or between its members.`,
      { class: name },
    );
  return rulesOf(comments.map(({ value }) => value));
}

/** Rules in the comments right before a class. They are not part of its own source, but of its script's. */
function rulesBefore(target: AnyClass, text: string): readonly string[] {
  const { script, source, place } = placeOf(target);
  let comments = ofScripts.get(script);
  if (comments === undefined) ofScripts.set(script, (comments = commentsOf(target.name, source)));
  if (comments.length === 0) return [];
  // A class of the same text may stand elsewhere; this one begins at or before the place of its constructor.
  const start = source.lastIndexOf(text, place);
  return rulesOf(comments.filter(({ before }) => before === start).map((comment) => comment.text));
}

/** Comments before classes, by the engine's numbers of scripts. */
const ofScripts = new Map<number, readonly ClassComment[]>();

function placeOf(target: AnyClass): ScriptPlace {
  try {
    return scriptOf(target);
  } catch (error) {
    throw new AccessRuleError(
      `The comment before the class '${target.name}' cannot be read in this process, so a ${word} line there would not hold. Run the program on a supported Node, or say the rules of the class with describe(${target.name}, …).`,
      { class: target.name },
      error,
    );
  }
}

/** The comments of a script with rules. A rule that belongs to no class could not hold. */
function commentsOf(name: string, source: string): readonly ClassComment[] {
  if (!source.includes(word)) return [];
  let comments: readonly ClassComment[];
  try {
    comments = commentsBeforeClasses(source, word).filter(({ text }) => rulesOf([text]).length > 0);
  } catch (error) {
    if (error instanceof AccessRuleError) throw error;
    throw new AccessRuleError(
      `The file of the class '${name}' has a ${word} line, but cannot be parsed: ${String(error)}. Say its rules in static durable = { acl }, or with describe(${name}, …).`,
      { class: name },
      error,
    );
  }
  const lost = comments.find(({ before }) => before === undefined);
  if (lost !== undefined)
    throw new AccessRuleError(
      `The file of the class '${name}' has a ${word} line that stands before no class, in the comment at line ${lost.line}. Move it right before the class it is about, or between its members.`,
      { class: name },
    );
  return comments;
}

/** The rules in the texts of comments, with or without the marks of comments. */
function rulesOf(comments: readonly string[]): readonly string[] {
  return comments.flatMap((comment) => {
    const lines = comment.split('\n').map((line) =>
      line
        .replace(/^\s*(?:\/\*+|\/\/+|\*(?!\/))?/, '')
        .replace(/\*+\/\s*$/, '')
        .trim(),
    );
    return takeAcl(lines.join('\n')).acl;
  });
}
