// A task is a typed function that an agent carries out: what goes in and what comes out follows a schema. Each call is a job
// of its own, with its own definition, conversation, limits and result; with a state it runs in a workspace whose variables
// stay.
import { described, InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { StatekError } from '../../base/error.ts';
import { TaskFailedError, TaskInputError } from '../errors.ts';
import {
  readSchema,
  type InferInput,
  type InferOutput,
  type ReadSchema,
  type StandardSchema,
} from '../tools/schema.ts';
import type { AgentDefinition } from '../kinds/agent-definition.ts';
import type { Job } from '../job.ts';
import { withoutMargin } from '../warmup.ts';
import { dataLiteral, pythonLiteral } from './data-literal.ts';
import { stateless } from './stateless.ts';
import type { Task, TaskPlace, TaskState } from './task-host.ts';

/** What a task is: the schemas of its input and output, and what is to be done. */
export interface TaskOptions<Input, Output> {
  /** Tells the tasks of an agent apart; default: made from the description. */
  readonly name?: string | undefined;
  readonly input: Input;
  readonly output: Output;
  /** What is to be done. */
  readonly description: string;
  /** Code that runs before the model is asked; it finds the input in the variable `input`. */
  readonly setup?: string | undefined;
}

/** How a call of a task ended. */
export type TaskResult<Output> =
  | { readonly outcome: 'success'; readonly value: Output }
  | { readonly outcome: 'fail'; readonly reason: string }
  | {
      readonly outcome: 'clarify';
      readonly question: string;
      /** Answers, and the same run goes on. */
      answer(value: unknown): Promise<TaskResult<Output>>;
    }
  | { readonly outcome: 'cancelled'; readonly reason: string }
  | { readonly outcome: 'limit'; readonly reason: string };

/** How one call of a task is made. */
export interface TaskCallOptions {
  /** Where variables stay between calls: `Live()` or `Versioned(…)`; default: nowhere. */
  readonly state?: TaskState | undefined;
  /** Answers questions of the agent, so that the run goes on. */
  readonly onClarify?: ((question: string) => unknown) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A function that an agent carries out. Called, it resolves to the result; `run` tells how the call ended. */
export interface TaskFunction<Input, Output> {
  /** The result; throws `TaskFailedError` if there is none, and `TaskClarifyError` if the agent asks something. */
  (input: Input, options?: TaskCallOptions): Promise<Output>;
  /** The same, telling how it ended instead of throwing. */
  run(input: Input, options?: TaskCallOptions): Promise<TaskResult<Output>>;
}

/** The agent needs to know something. `answer` goes on with the same run. */
export class TaskClarifyError extends StatekError {
  readonly code = 'TASK_CLARIFY';
  readonly question: string;
  readonly answer: (value: unknown) => Promise<unknown>;

  constructor(question: string, answer: (value: unknown) => Promise<unknown>) {
    super(`The agent asks: ${question}`, { question });
    this.question = question;
    this.answer = answer;
  }
}

export function makeTask<Input extends StandardSchema, Output extends StandardSchema>(
  agent: AgentDefinition,
  options: TaskOptions<Input, Output>,
): TaskFunction<InferInput<Input>, InferOutput<Output>> {
  refuseUnknownOptions('task', options, { name: true, input: true, output: true, description: true, setup: true });
  const { description, setup } = options;
  if (typeof description !== 'string' || description.trim() === '')
    throw new InvalidOptionError('task: a description says what is to be done.', { name: 'description' });
  const name = options.name ?? description.slice(0, 80);
  if (agent.tasks.has(name))
    throw new InvalidOptionError(`The agent '${agent.role}' has two tasks '${name}'.`, { name });
  const input = readSchema(`task '${name}': input`, options.input);
  const output = readSchema(`task '${name}': output`, options.output);
  agent.tasks.set(name, taskOf(name, description, setup, output));
  const run = (given: InferInput<Input>, call: TaskCallOptions = {}): Promise<TaskResult<InferOutput<Output>>> =>
    started(agent, name, checked(name, input, given), setup, output, call) as Promise<TaskResult<InferOutput<Output>>>;
  const called = async (given: InferInput<Input>, call: TaskCallOptions = {}): Promise<InferOutput<Output>> =>
    valueOf(name, await run(given, call));
  return Object.assign(called, { run });
}

function taskOf(name: string, description: string, setup: string | undefined, output: ReadSchema): Task {
  return {
    name,
    setup,
    instructions: (language) =>
      `Your task: ${description}\nThe input is in the variable \`input\`. When you have the result, call exit(result); the result must follow this JSON Schema:\n${JSON.stringify(output.json)}\nIf it cannot be done, call fail(reason). If you need to know something, ${language === 'python' ? 'reply = clarify(question)' : 'const reply = await clarify(question)'}.`,
    refused: (value) => {
      const result = output.check(value);
      return 'value' in result
        ? undefined
        : `The result was not accepted: ${result.issues.join('; ')}. Call exit with a result that follows the schema.`;
    },
  };
}

function checked(name: string, schema: ReadSchema, given: unknown): unknown {
  const result = schema.check(given);
  if ('value' in result) return result.value;
  throw new TaskInputError(`The task '${name}' was given something it does not take: ${result.issues.join('; ')}.`, {
    task: name,
    issues: result.issues,
  });
}

async function started(
  agent: AgentDefinition,
  name: string,
  input: unknown,
  setup: string | undefined,
  output: ReadSchema,
  call: TaskCallOptions,
): Promise<TaskResult<unknown>> {
  refuseUnknownOptions(`task '${name}'`, call, { state: true, onClarify: true, signal: true });
  const state = call.state ?? stateless;
  if (typeof (state as Partial<TaskState>).submit !== 'function')
    throw new InvalidOptionError(
      `task '${name}': option 'state' must be made with Live() or Versioned(…), not ${described(state)}.`,
      { name: 'state' },
    );
  const { place, job } = await state.submit(agent, (where) => {
    const compiled = where.host.compiled(agent.role);
    if (compiled === undefined) throw new Error(`The agent '${agent.role}' is not open where its task is to run.`);
    const literal = where.share === undefined ? undefined : where.share(input);
    const isPython = compiled.language === 'python';
    const code = isPython
      ? `input = ${literal ?? pythonLiteral(name, input)}`
      : `var input = ${literal ?? dataLiteral(name, input)};`;
    // In Python data has its members as attributes if it comes from the host; as code it would be a plain dict.
    const isVariable = isPython && literal === undefined && typeof input === 'object' && input !== null;
    const source = isVariable ? [] : [code];
    const prepared = isPython && setup !== undefined ? withoutMargin(setup.split('\n')).join('\n') : setup;
    const message = {
      text: `Call of the task. input = ${shown(input, isPython)}`,
      setup: [...source, ...(prepared === undefined ? [] : [prepared])],
    };
    return where.host.submit(compiled.createJobDef({ task: name }), {
      message,
      ...(isVariable ? { vars: { input } } : {}),
      ...(where.workspace === undefined ? {} : { workspace: where.workspace }),
    });
  });
  return settled(place, job, output, call, new Set());
}

/** Waits for the end of a call, or for a question of the agent's. */
async function settled(
  place: TaskPlace,
  job: Job,
  output: ReadSchema,
  call: TaskCallOptions,
  answered: Set<string>,
): Promise<TaskResult<unknown>> {
  const stop = new AbortController();
  const cancel = (): void => void job.cancel('The caller gave up.').catch(() => undefined);
  call.signal?.addEventListener('abort', cancel, { once: true });
  if (call.signal?.aborted === true) cancel();
  try {
    const ended = job.result().then(
      () => undefined,
      () => undefined,
    );
    for (;;) {
      const question = await Promise.race([ended, nextQuestion(job, answered, stop.signal)]);
      if (question === undefined) {
        const outcome = await outcomeOf(job, output);
        await place.over?.();
        return outcome;
      }
      answered.add(question.id);
      if (call.onClarify === undefined)
        return {
          outcome: 'clarify',
          question: question.text,
          answer: async (value) => {
            await place.host.answer(question.id, value);
            return settled(place, job, output, call, answered);
          },
        };
      await place.host.answer(question.id, await call.onClarify(question.text));
    }
  } finally {
    stop.abort();
    call.signal?.removeEventListener('abort', cancel);
  }
}

async function nextQuestion(
  job: Job,
  answered: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<{ id: string; text: string } | undefined> {
  for await (const _event of job.events({ signal })) {
    for (const { id, kind, question } of await job.waiting())
      if (kind === 'ask' && !answered.has(id)) return { id, text: question ?? '' };
  }
  return new Promise(() => undefined);
}

async function outcomeOf(job: Job, output: ReadSchema): Promise<TaskResult<unknown>> {
  await job.refresh();
  const reason = job.error?.message ?? '';
  switch (job.outcome) {
    case 'completed': {
      const result = output.check(await job.result());
      return 'value' in result
        ? { outcome: 'success', value: result.value }
        : { outcome: 'fail', reason: `The result was not what it should be: ${result.issues.join('; ')}` };
    }
    case 'cancelled':
      return { outcome: 'cancelled', reason };
    case 'limit':
      return { outcome: 'limit', reason };
    default:
      return { outcome: 'fail', reason };
  }
}

function valueOf<Output>(name: string, result: TaskResult<Output>): Output {
  switch (result.outcome) {
    case 'success':
      return result.value;
    case 'clarify':
      throw new TaskClarifyError(result.question, async (value) => valueOf(name, await result.answer(value)));
    default:
      throw new TaskFailedError(`The task '${name}' ended without a result (${result.outcome}): ${result.reason}`, {
        task: name,
        outcome: result.outcome,
        reason: result.reason,
      });
  }
}

function shown(value: unknown, isPython: boolean): string {
  const json = JSON.stringify(value) as string | undefined;
  const text = json === undefined ? String(value) : isPython ? pythonLiteral('', JSON.parse(json)) : json;
  return text.length <= 4000 ? text : `${text.slice(0, 4000)}… (the variable has all of it)`;
}
