// Rules about members that stand in the comments of a class: before it, or inside its body. A rule that is written down
// must hold, so what is found and cannot hold is an error.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { parseExpression } from '@babel/parser';
import { StatekError } from '../../base/error.ts';
import { accessRules } from './access.ts';

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
  const script = scriptOf(target);
  if (!script?.source.includes(word)) return [];
  // A class of the same text may stand elsewhere; this one begins at or before the place of its constructor.
  const start = script.source.lastIndexOf(text, script.place);
  if (start < 0) return [];
  const before = script.source
    .slice(0, start)
    .replace(
      /(?:\b(?:export|default|abstract|declare|return)\s+|(?:\b(?:const|let|var)\s+)?[\w$.]+\s*=\s*|\(\s*)*$/,
      '',
    );
  const [comments = ''] = /(?:\/\*(?:[^*]|\*(?!\/))*\*\/\s*|\/\/[^\n]*\n\s*)+$/.exec(before) ?? [];
  return rulesOf([comments]);
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

interface ScriptPlace {
  readonly source: string;
  /** Where in it. */
  readonly place: number;
}

/** Sources by the engine's numbers of scripts; those without rules are not kept. */
const sources = new Map<string, string>();

/** The script a class stands in, which only the engine's own inspector knows; undefined where it may not be asked. */
function scriptOf(target: AnyClass): ScriptPlace | undefined {
  const session = new Session();
  try {
    session.connect();
    const { scriptId, lineNumber, columnNumber } = placeOf(session, target) ?? {};
    if (scriptId === undefined) return undefined;
    let source = sources.get(scriptId);
    if (source === undefined) {
      source = mayHaveRules(session, scriptId) ? sourceOf(session, scriptId) : '';
      if (!source.includes(word)) source = '';
      sources.set(scriptId, source);
    }
    const lines = source.split('\n', lineNumber ?? 0);
    return { source, place: lines.reduce((sum, line) => sum + line.length + 1, 0) + (columnNumber ?? 0) };
  } catch {
    warnOnce();
    return undefined;
  } finally {
    session.disconnect();
  }
}

/** Debugging makes the engine drop compiled WebAssembly, which has been seen to end the process: only where there are rules. */
function sourceOf(session: Session, scriptId: string): string {
  asked(session, 'Debugger.enable');
  const { scriptSource } = asked(session, 'Debugger.getScriptSource', { scriptId }) as { scriptSource: string };
  asked(session, 'Debugger.disable');
  return scriptSource;
}

/** Whether the file of a script has the word at all. One whose file cannot be read may have it. */
function mayHaveRules(session: Session, scriptId: string): boolean {
  try {
    asked(session, 'Profiler.enable');
    const { result } = asked(session, 'Profiler.getBestEffortCoverage') as {
      result: readonly { readonly scriptId: string; readonly url: string }[];
    };
    asked(session, 'Profiler.disable');
    const url = result.find((script) => script.scriptId === scriptId)?.url ?? '';
    return readFileSync(url.startsWith('file:') ? fileURLToPath(url) : url, 'utf8').includes(word);
  } catch {
    return true;
  }
}

let warned = false;

function warnOnce(): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    `${word} lines in comments before classes cannot be read in this process, so they do not hold. Put them inside of classes, or in static durable = { acl }.`,
    'StatekWarning',
  );
}

interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

function placeOf(session: Session, target: AnyClass): Location | undefined {
  const key = `statek:${randomUUID()}`;
  Object.defineProperty(globalThis, key, { value: target, configurable: true });
  try {
    const { result } = asked(session, 'Runtime.evaluate', {
      expression: `globalThis[${JSON.stringify(key)}]`,
    }) as { result: { objectId: string } };
    const { internalProperties = [] } = asked(session, 'Runtime.getProperties', {
      objectId: result.objectId,
      ownProperties: true,
    }) as { internalProperties?: readonly { readonly name: string; readonly value?: { readonly value?: unknown } }[] };
    return internalProperties.find(({ name }) => name === '[[FunctionLocation]]')?.value?.value as Location | undefined;
  } finally {
    delete (globalThis as Record<string, unknown>)[key];
  }
}

/** The inspector of the own thread answers at once. */
function asked(session: Session, method: string, parameters: object = {}): unknown {
  let answer: unknown;
  let failure: Error | null = null;
  session.post(method, parameters, (error, found) => {
    failure = error;
    answer = found;
  });
  if (failure !== null || answer === undefined) throw new Error(`The inspector does not answer ${method}.`);
  return answer;
}
