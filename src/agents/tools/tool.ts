// Tools: functions of the application with what a model has to know of them, and how they are to be called.
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import {
  callOptionNames,
  isAsync,
  toolOver,
  type CallContext,
  type CallOptions,
  type ParameterNames,
} from '../../workspace/call-options.ts';
import type { JobOutcome } from '../../jobs/states.ts';
import type { JsonObject } from '../../models/json.ts';
import { ToolInputError, ToolOutputError } from '../errors.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import { snakeCase } from '../docs/python-type.ts';
import type { Language } from '../prompts/metadata.ts';
import { inputFrom, signatureOf, withoutNothing } from './parameters.ts';
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

/** What went wrong with a job. */
export interface JobFailure {
  readonly job: string;
  readonly name: string;
  readonly message: string;
  /** `failed`, `limit` or `cancelled`. */
  readonly outcome: JobOutcome;
}

interface CommonToolOptions extends CallOptions {
  readonly name: string;
  /** What a model is told: the first paragraph in short, the rest in detail. */
  readonly description?: string | undefined;
  /** A schema of what it returns; a result that does not fit is an error. */
  readonly output?: StandardSchema | JsonObject | undefined;
  /** Can be called from code, and is shown nowhere. */
  readonly hidden?: boolean | undefined;
  /** Belongs to the system, and not to the application. */
  readonly system?: boolean | undefined;
  /** The chat styles in which it is offered; all unless told. */
  readonly target?: readonly ChatStyle[] | undefined;
  /**
   * Called once when a job of the tool's agent, or of one it started, ends without a result, to clean up. A tool that is
   * `idempotent` may be told again after a crash.
   */
  readonly onJobError?: ((failure: JobFailure, context: ToolContext) => unknown) | undefined;
  /** What it can do, in words of the application; `findAgents` finds agents by them. */
  readonly capabilities?: readonly string[] | undefined;
}

export interface ToolOptions<Input, Output> extends CommonToolOptions {
  /** JSON Schema of its input. */
  readonly input?: JsonObject | undefined;
  readonly execute: (input: Input, context: ToolContext) => Output;
}

export interface SchemaToolOptions<Schema, Output> extends CommonToolOptions {
  readonly input: Schema;
  readonly execute: (input: InferOutput<Schema>, context: ToolContext) => Output;
}

/** A tool as the agents know it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: ReadSchema | undefined;
  readonly output: ReadSchema | undefined;
  readonly hidden: boolean;
  readonly system: boolean;
  readonly target: readonly ChatStyle[] | undefined;
  readonly onJobError: CommonToolOptions['onJobError'];
  readonly capabilities: readonly string[];
  readonly call: CallOptions;
  /** Calls it with what guest code gave, in whichever language that is. */
  execute(parameters: readonly unknown[], context: ToolContext, language: Language): unknown;
}

const toolNames = [
  'name',
  'execute',
  'description',
  'input',
  'output',
  'hidden',
  'system',
  'target',
  'onJobError',
  'capabilities',
];

const definitions = new WeakMap<object, ToolDefinition>();

/** A tool for agents, and a function for guest code. Give it to an agent, or as a service or a method of one. */
export function tool<Schema extends StandardSchema, Output>(
  options: SchemaToolOptions<Schema, Output>,
): (input: InferInput<Schema>) => Output;
export function tool<Input, Output>(options: ToolOptions<Input, Output>): (input: Input) => Output;
export function tool(
  options: ToolOptions<never, unknown> | SchemaToolOptions<never, unknown>,
): (input: never) => unknown {
  refuseUnknownOptions('tool', options, [...toolNames, ...callOptionNames]);
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
  parameterNames?: ParameterNames,
): (...parameters: unknown[]) => unknown {
  const getAdapter = (name: string): unknown => caller?.getAdapter(name);
  return toolOver(
    definition.name,
    definition.call,
    (parameters, call) =>
      definition.execute(
        parameters,
        { ...call, job: call.workspace, agent: caller?.role, getAdapter },
        caller?.language ?? 'typescript',
      ),
    parameterNames,
  );
}

function definitionOf(options: ToolOptions<never, unknown>): ToolDefinition {
  const { name, description = '', hidden = false, system = false, target, onJobError, capabilities = [] } = options;
  const where = `tool '${name}'`;
  const input = options.input === undefined ? undefined : readSchema(`${where}: input`, options.input);
  const output = options.output === undefined ? undefined : readSchema(`${where}: output`, options.output);
  const execute = options.execute as (input: unknown, context: ToolContext) => unknown;
  const call = Object.fromEntries(
    Object.entries(options).filter(([key, value]) => callOptionNames.includes(key) && value !== undefined),
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
    call: { ...call, effect: call.effect ?? isAsync(execute) },
    execute: (parameters, context, language) => {
      const given = input === undefined ? parameters[0] : checkedInput(name, input, parameters, language);
      const result = execute(given, context);
      if (output === undefined) return result;
      return result instanceof Promise
        ? result.then((value: unknown) => checkedOutput(name, output, value))
        : checkedOutput(name, output, result);
    },
  };
}

function checkedInput(name: string, schema: ReadSchema, parameters: readonly unknown[], language: Language): unknown {
  const given = inputFrom(schema.json, parameters);
  const checked = schema.check(given);
  if ('value' in checked) return checked.value;
  // Nothing is what code gives that leaves something out.
  const less = schema.check(withoutNothing(schema.json, given));
  if ('value' in less) return less.value;
  const written = language === 'python' ? snakeCase(name) : name;
  throw new ToolInputError(
    `${written} was called with something it does not take: ${checked.issues.join('; ')}. Call it as ${written}${signatureOf(schema.json, language)}.`,
    { tool: name, issues: checked.issues },
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
