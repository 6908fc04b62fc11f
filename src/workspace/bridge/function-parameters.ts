// What a function calls its parameters, read from its source, so that a call can name them.
import { parseExpression } from '@babel/parser';

export interface FunctionParameters {
  /** In their order; a parameter that is taken apart has no name of its own and gets one here. */
  readonly names: readonly string[];
  /** Those without a default. */
  readonly required: readonly string[];
  /** The place of the parameter for options: one that is taken apart, or the last one, unless its default is no object. */
  readonly options: number | undefined;
  /** The source could be read, and there are no parameters but these. */
  readonly complete: boolean;
}

interface Pattern {
  readonly type: string;
  readonly name?: string;
  readonly left?: Pattern;
  readonly right?: Pattern;
}

const known = new WeakMap<object, FunctionParameters>();
const unknown: FunctionParameters = { names: [], required: [], options: undefined, complete: false };

export function parametersOf(called: (...parameters: never[]) => unknown): FunctionParameters {
  let found = known.get(called);
  if (found === undefined) known.set(called, (found = readParameters(Function.prototype.toString.call(called))));
  return found;
}

/** Those of the constructor, if the class has one of its own. */
export function constructorParametersOf(target: abstract new (...parameters: never[]) => unknown): FunctionParameters {
  let found = known.get(target);
  if (found === undefined) known.set(target, (found = readConstructor(target)));
  return found;
}

/**
 * The parameters of a call that names some of them: those the function has by that name go to their places, the others
 * are the object of options.
 */
export function placed(
  { names, options, complete }: FunctionParameters,
  positional: readonly unknown[],
  named: Readonly<Record<string, unknown>>,
): unknown[] {
  const parameters = [...positional];
  const others: [string, unknown][] = [];
  for (const [name, value] of Object.entries(named)) {
    const place = names.findIndex((one) => isSameName(one, name));
    if (place < 0) others.push([name, value]);
    else if (place < positional.length) throw new TypeError(`The parameter '${names[place] ?? ''}' is given twice.`);
    else parameters[place] = value;
  }
  if (others.length > 0) {
    const place = Math.max(options ?? parameters.length, parameters.length);
    if (complete && place !== options)
      throw new TypeError(`There is no parameter '${others[0]?.[0] ?? ''}'; it takes: ${names.join(', ') || 'none'}.`);
    parameters[place] = Object.fromEntries(others);
  }
  return Array.from(parameters);
}

/** Names are the same in snake_case and in camelCase. */
export function isSameName(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(name: string): string {
  return name.replaceAll(/(?<=[^_])_+|_+$/g, '').toLowerCase();
}

function readParameters(source: string): FunctionParameters {
  const isMethod = !/^(?:async\s+)?(?:function\b|\(|[\w$]+\s*=>)/.test(source);
  const parsed = parsedExpression(isMethod ? `({${source}})` : `(${source})`) as
    | {
        readonly params?: readonly Pattern[];
        readonly properties?: readonly { readonly params?: readonly Pattern[] }[];
      }
    | undefined;
  // A built-in or bound function has no source; it can still be called.
  return namesOf(parsed?.params ?? parsed?.properties?.[0]?.params);
}

function readConstructor(target: abstract new (...parameters: never[]) => unknown): FunctionParameters {
  const parsed = parsedExpression(`(${Function.prototype.toString.call(target)})`) as
    | {
        readonly superClass?: unknown;
        readonly body?: { readonly body: readonly { readonly kind?: string; readonly params?: readonly Pattern[] }[] };
      }
    | undefined;
  const own = parsed?.body?.body.find(({ kind }) => kind === 'constructor');
  if (own !== undefined) return namesOf(own.params);
  const base: unknown = Object.getPrototypeOf(target);
  if (!parsed?.superClass || typeof base !== 'function') return unknown;
  return constructorParametersOf(base as abstract new (...parameters: never[]) => unknown);
}

/** Private names and the like have no meaning outside of their class; the parameters can be read all the same. */
function parsedExpression(source: string): unknown {
  try {
    return parseExpression(source, { plugins: ['typescript'], errorRecovery: true });
  } catch {
    return undefined;
  }
}

function mayBeOptions({ right }: Pattern): boolean {
  return right === undefined || right.type === 'ObjectExpression';
}

function namesOf(parameters: readonly Pattern[] | undefined): FunctionParameters {
  if (parameters === undefined) return unknown;
  const names: string[] = [];
  const required: string[] = [];
  let options: number | undefined;
  let complete = true;
  for (const [index, parameter] of parameters.entries()) {
    if (parameter.type === 'RestElement') {
      complete = false;
      continue;
    }
    const { type, name = `parameter${index + 1}` } = parameter.left ?? parameter;
    const isLast = index === parameters.length - 1;
    if (type === 'ObjectPattern' || (isLast && options === undefined && mayBeOptions(parameter))) options = index;
    names.push(name);
    if (parameter.type !== 'AssignmentPattern') required.push(name);
  }
  return { names, required, options, complete };
}
