// Tools: functions of the application with what a model has to know of them, and how they are to be called.
import { InvalidOptionError, refuseUnknownOptions, type OptionNames } from '../../base/options.ts';
import { callOptionNames, isAsync, toolOver, type CallContext, type CallOptions } from '../../workspace/door.ts';
import type { JobOutcome } from '../../jobs/door.ts';
import type { JsonObject } from '../../models/door.ts';
import { ToolInputError, ToolOutputError } from '../errors.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import { snakeCase } from '../docs/print/python-type.ts';
import type { Language } from '../prompts/metadata.ts';
import { inputFrom, onlyInput, signatureOf, UnboundParametersError, withoutNothing } from './parameters.ts';
import { readSchema, type InferInput, type InferOutput, type ReadSchema, type StandardSchema } from './schema.ts';

/** What a tool is told of the call. */
export interface ToolContext extends CallContext {
  /** The job it was called in. */
  readonly job: string;
  /** The role of the agent. */
  readonly agent: string | undefined;
  /** Something of the agent's private context, by its name, or its name behind `_` or `__`. */
  getAdapter(name: string): unknown;
}

/** A tool whose input is described by JSON Schema, or not at all. */
export interface ToolOptions<Input, Output> extends Omit<CallOptions, 'approval'> {
  /** What guest code and models call it. */
  readonly name: string;
  /** JSON Schema of its input. */
  readonly input?: JsonObject | undefined;
  /** What a call does: gets the checked input, returns the result or a promise of it. */
  readonly execute: (input: Input, context: ToolContext) => Output;
  /** Somebody has to agree before the call is made: always, or unless this returns `false` for what the tool is given. */
  readonly approval?: 'always' | ((input: Input) => boolean) | undefined;
  /** What a model is told: the first paragraph in short, the rest in detail. */
  readonly description?: string | undefined;
  /** A schema of what it returns; a result that does not fit is an error. */
  readonly output?: StandardSchema | JsonObject | undefined;
  /** Can be called from code, and is shown nowhere. */
  readonly hidden?: boolean | undefined;
  /** Belongs to the system, and not to the application. */
  readonly system?: boolean | undefined;
  /** The chat styles in which it is offered; default: all. */
  readonly target?: readonly ChatStyle[] | undefined;
  /**
   * Called once when a job of the tool's agent, or of one it started, ends without a result, to clean up. A tool that is
   * `idempotent` may be told again after a crash.
   */
  readonly onJobError?:
    | ((
        failure: {
          readonly job: string;
          readonly name: string;
          readonly message: string;
          readonly outcome: JobOutcome;
        },
        context: ToolContext,
      ) => unknown)
    | undefined;
  /** What it can do, in words of the application; `findAgents` finds agents by them. */
  readonly capabilities?: readonly string[] | undefined;
}

/** A tool whose input is described by a schema, of zod or another library: `execute` gets what the schema makes of it. */
export interface SchemaToolOptions<Schema, Output> extends Omit<ToolOptions<InferOutput<Schema>, Output>, 'input'> {
  /** The schema of its input. */
  readonly input: Schema;
}

/** What went wrong with a job. */
export type JobFailure = Parameters<NonNullable<ToolOptions<never, unknown>['onJobError']>>[0];

/** A tool as the agents know it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: ReadSchema | undefined;
  readonly output: ReadSchema | undefined;
  readonly hidden: boolean;
  readonly system: boolean;
  readonly target: readonly ChatStyle[] | undefined;
  readonly onJobError: ToolOptions<never, unknown>['onJobError'];
  readonly capabilities: readonly string[];
  readonly call: CallOptions;
  /** Binds what a call gives to names; errors are in the words of the caller's language. */
  bind(
    positional: readonly unknown[],
    named: Readonly<Record<string, unknown>> | undefined,
    language: Language,
  ): readonly unknown[];
  /** Checks what was bound against the schema. */
  check(named: readonly unknown[], language: Language): readonly unknown[];
  /** Calls it with what was checked. */
  execute(checked: readonly unknown[], context: ToolContext): unknown;
}

const toolNames: OptionNames<ToolOptions<never, unknown>> = {
  ...callOptionNames,
  name: true,
  execute: true,
  description: true,
  input: true,
  output: true,
  hidden: true,
  system: true,
  target: true,
  onJobError: true,
  capabilities: true,
};

const definitions = new WeakMap<object, ToolDefinition>();

/**
 * A tool for agents, and a function for guest code. Give it to an agent, or as a service or a method of one.
 *
 * @example
 * import { Statek, tool } from 'statek';
 * import { z } from 'zod';
 *
 * const book = tool({
 *   name: 'book',
 *   description: 'Books a room.',
 *   input: z.object({ room: z.string() }),
 *   idempotent: true, // after a crash it is called again with the same idempotencyKey
 *   execute: async ({ room }, { idempotencyKey }) => `${room} is booked, ${idempotencyKey.length > 0}`,
 * });
 * const kit = await Statek.open({ store: 'memory:', services: { book } });
 * const workspace = await kit.workspace('rooms', { vars: { book } });
 * await workspace.run("const answer = await book({ room: 'red' }); answer");
 * console.log((await workspace.settled()).value); // prints red is booked, true
 * await kit.close();
 */
export function tool<Input, Output>(
  options: ToolOptions<Input, Output> & { readonly output?: JsonObject | undefined },
): (input: Input) => Output;
export function tool<
  Input,
  Result extends StandardSchema,
  Output extends InferInput<Result> | Promise<InferInput<Result>>,
>(
  options: ToolOptions<Input, Output> & { readonly output: Result },
): (input: Input) => Output extends Promise<unknown> ? Promise<InferOutput<Result>> : InferOutput<Result>;
export function tool<Schema extends StandardSchema, Output>(
  options: SchemaToolOptions<Schema, Output> & { readonly output?: JsonObject | undefined },
): (input: InferInput<Schema>) => Output;
// The compiler explains why the last one does not fit, so this is the one whose explanation helps most.
export function tool<
  Schema extends StandardSchema,
  Result extends StandardSchema,
  Output extends InferInput<Result> | Promise<InferInput<Result>>,
>(
  options: SchemaToolOptions<Schema, Output> & { readonly output: Result },
): (input: InferInput<Schema>) => Output extends Promise<unknown> ? Promise<InferOutput<Result>> : InferOutput<Result>;
export function tool(
  options: ToolOptions<never, unknown> | SchemaToolOptions<never, unknown>,
): (input: never) => unknown {
  refuseUnknownOptions('tool', options, toolNames);
  const { name, execute } = options;
  if (typeof name !== 'string' || name === '') throw new InvalidOptionError('tool: a tool needs a name.', { name });
  if (typeof execute !== 'function')
    throw new InvalidOptionError(`tool: '${name}' needs a function 'execute'.`, { name });
  const definition = definitionOf(options);
  const called = bound(definition, undefined);
  definitions.set(called, definition);
  return called;
}

export function toolDefinitionOf(value: object): ToolDefinition | undefined {
  return definitions.get(value);
}

/** Whose code calls a tool. */
export interface ToolCaller {
  readonly role: string;
  readonly language: Language;
  getAdapter(name: string): unknown;
}

/** The function guest code calls, for one agent. */
export function bound(
  definition: ToolDefinition,
  caller: ToolCaller | undefined,
): (...parameters: unknown[]) => unknown {
  const getAdapter = (name: string): unknown => caller?.getAdapter(name);
  const language = caller?.language ?? 'typescript';
  return toolOver(
    definition.name,
    definition.call,
    (checked, call) => definition.execute(checked, { ...call, job: call.workspace, agent: caller?.role, getAdapter }),
    {
      bind: (positional, named) => definition.bind(positional, named, language),
      check: (named) => definition.check(named, language),
    },
  );
}

function definitionOf(options: ToolOptions<never, unknown>): ToolDefinition {
  const { name, description = '', hidden = false, system = false, target, onJobError, capabilities = [] } = options;
  const where = `tool '${name}'`;
  const input = options.input === undefined ? undefined : readSchema(`${where}: input`, options.input);
  const output = options.output === undefined ? undefined : readSchema(`${where}: output`, options.output);
  const execute = options.execute as (input: unknown, context: ToolContext) => unknown;
  const call = Object.fromEntries(
    Object.entries(options).filter(([key, value]) => Object.hasOwn(callOptionNames, key) && value !== undefined),
  ) as CallOptions;
  return {
    name,
    description,
    input,
    output,
    hidden: hidden || name.startsWith('_'),
    system,
    target,
    onJobError,
    capabilities,
    // A call that somebody has to agree to waits, whether the function is declared async or not.
    call: {
      ...call,
      effect: call.effect ?? (call.approval !== undefined || call.cache !== undefined || isAsync(execute)),
    },
    bind: (positional, named, language) => [boundInput(name, input, positional, named, language)],
    check: ([given], language) => [input === undefined ? given : checkedInput(name, input, given, language)],
    execute: ([checked], context) => {
      const result = execute(checked, context);
      if (output === undefined) return result;
      return result instanceof Promise
        ? result.then((value: unknown) => checkedOutput(name, output, value))
        : checkedOutput(name, output, result);
    },
  };
}

function boundInput(
  name: string,
  schema: ReadSchema | undefined,
  positional: readonly unknown[],
  named: Readonly<Record<string, unknown>> | undefined,
  language: Language,
): unknown {
  try {
    return schema === undefined
      ? onlyInput(named === undefined ? positional : [...positional, unnamed(named)])
      : inputFrom(schema.json, positional, named);
  } catch (error) {
    if (error instanceof UnboundParametersError) throw inputError(name, schema, [error.message], language);
    throw error;
  }
}

/** A tool without a schema is shown as `name(input)`, so `name(input=5)` means 5. Any other names are the members of its input. */
function unnamed(named: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(named);
  return names.length === 1 && names[0] === 'input' ? named['input'] : named;
}

function checkedInput(name: string, schema: ReadSchema, given: unknown, language: Language): unknown {
  const checked = schema.check(given);
  if ('value' in checked) return checked.value;
  // Nothing is what code gives that leaves something out.
  const less = schema.check(withoutNothing(schema.json, given));
  if ('value' in less) return less.value;
  throw inputError(name, schema, checked.issues, language);
}

function inputError(
  name: string,
  schema: ReadSchema | undefined,
  issues: readonly string[],
  language: Language,
): ToolInputError {
  const written = language === 'python' ? snakeCase(name) : name;
  const signature = schema === undefined ? '(input)' : signatureOf(schema.json, language);
  return new ToolInputError(
    `${written} was called with something it does not take: ${issues.join('; ')}. Call it as ${written}${signature}.`,
    { tool: name, issues },
  );
}

function checkedOutput(name: string, schema: ReadSchema, value: unknown): unknown {
  const checked = schema.check(value);
  if ('value' in checked) return checked.value;
  throw new ToolOutputError(`${name} returned something else than it says: ${checked.issues.join('; ')}.`, {
    tool: name,
    issues: checked.issues,
  });
}
