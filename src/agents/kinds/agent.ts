// An agent is a reusable role: prompt, tools, model, language. It is a definition: it holds no state, no kit and nothing that
// is open. What it becomes in a kit, with the settings and files around it, is a `CompiledAgent`.
import {
  choiceOption,
  described,
  InvalidOptionError,
  listOption,
  refuseUnknownOptions,
  type OptionNames,
} from '../../base/options.ts';
import type { CallContext } from '../../workspace/door.ts';
import { registerAgent, type AgentDefinition } from './agent-definition.ts';
import { agentOptionNames, type AgentOptions, type JobDefOptions } from './agent-options.ts';
import { CompiledAgent } from '../compiled-agent.ts';
import type { JobDef } from '../definition.ts';
import { AgentEnvironment } from '../environment.ts';
import { hostsOf } from '../open-agents.ts';
import { isPostProcessor, type PostProcessor } from '../post-processors.ts';
import type { Language } from '../prompts/metadata.ts';
import type { Reminder } from '../reminder.ts';
import { chatStyles, type ChatStyle } from '../settings/chat-style.ts';
import { checkLimits } from '../settings/job-limits.ts';
import type { Task } from '../tasks/task-host.ts';
import { makeTask, type TaskFunction, type TaskOptions } from '../tasks/task.ts';
import { AgentToolbox } from '../tools/agent-tools.ts';
import { memoryTools, type MemoryRuntime } from '../tools/memory-tools.ts';
import { readingTools, type Reader } from '../tools/reading-tools.ts';
import type { InferInput, InferOutput, StandardSchema } from '../tools/schema.ts';
import { systemTools, type SystemRuntime, type ToolOwner } from '../tools/system-tools.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { JobFailure } from '../tools/tool.ts';
import type { KnownTool } from '../tools/toolbox.ts';

/**
 * A reusable role: a prompt, tools, a model, a language. It holds no state; its jobs do. Give it to `Statek.open({ agents })`.
 *
 * @example
 * import { Agent, Models, Statek, tool } from 'statek';
 * import { scriptedModel } from 'statek/testing';
 *
 * const add = tool({ name: 'add', execute: ({ a, b }: { a: number; b: number }) => a + b });
 * const clerk = new Agent({
 *   role: 'clerk',
 *   systemPrompt: 'You add numbers.',
 *   tools: [add],
 *   chatStyle: 'CONSOLE', // the model writes code, nothing else
 *   metadata: { MODEL: 'script' }, // or 'openai/gpt-5-mini'
 * });
 * const models = new Models({ models: { script: scriptedModel(['exit(add({ a: 20, b: 22 }))']) } });
 * const kit = await Statek.open({ store: 'memory:', agents: [clerk], models });
 * const job = await kit.submit(clerk, { message: 'What is 20 + 22?' });
 * await kit.runUntilIdle();
 * console.log(await job.result()); // prints 42
 * await kit.close();
 */
export class Agent {
  readonly role: string;
  readonly options: AgentOptions;
  readonly postProcessors: readonly PostProcessor[];
  /** @internal Tasks by their names. */
  readonly tasks = new Map<string, Task>();
  readonly #toolbox: AgentToolbox;

  constructor(options: AgentOptions);
  /** @internal A kind with more options names them. */
  constructor(options: AgentOptions, optionNames?: OptionNames<AgentOptions>);
  constructor(options: AgentOptions, optionNames: OptionNames<AgentOptions> = agentOptionNames) {
    if (typeof options === 'object' && (options as object | null) !== null)
      refuseOptionsOfOtherKinds(options, optionNames);
    refuseUnknownOptions('Agent', options, optionNames);
    const { role, chatStyle, language, systemPrompt, limits, postProcessors = [] } = options;
    if (typeof role !== 'string' || role === '' || role.length > 100)
      throw new InvalidOptionError('An agent needs a role of 1 to 100 characters.', { name: 'role' });
    if (chatStyle !== undefined && !chatStyles.includes(chatStyle))
      throw new InvalidOptionError(`The agent '${role}': 'chatStyle' is one of ${chatStyles.join(', ')}.`, {
        name: 'chatStyle',
      });
    const where = `The agent '${role}'`;
    if (language !== undefined) choiceOption(where, 'language', language, ['typescript', 'python']);
    if (systemPrompt !== undefined && typeof systemPrompt !== 'string')
      throw new InvalidOptionError(`${where}: option 'systemPrompt' must be a text, not ${described(systemPrompt)}.`, {
        name: 'systemPrompt',
      });
    if (limits !== undefined) checkLimits(role, limits);
    for (const one of listOption(where, 'postProcessors', postProcessors))
      if (!isPostProcessor(one))
        throw new InvalidOptionError(`The agent '${role}': a post-processor has a name and a function 'process'.`, {
          name: 'postProcessors',
        });
    this.role = role;
    this.options = options;
    this.postProcessors = postProcessors;
    registerAgent(this satisfies AgentDefinition);
    this.#toolbox = new AgentToolbox(role, options.tools ?? [], options.internalTools ?? []);
  }

  /** @internal What it was given to call; lists of tools that change are as they are now. */
  get tools(): readonly KnownTool[] {
    return this.#toolbox.all;
  }

  /** @internal Where tools come from that are not its own. */
  get toolSources(): ReadonlySet<ToolSource> {
    return this.#toolbox.sources;
  }

  /** @internal The chat style of its kind. */
  get ownStyle(): ChatStyle | undefined {
    return undefined;
  }

  /** @internal Code that runs in every job before its first turn. */
  ownWarmup(_language: Language, _environment: AgentEnvironment): string {
    return '';
  }

  /** @internal Code that runs before every warmup, hidden from the model. */
  ownPrelude(_language: Language): string {
    return '';
  }

  /** @internal Prose of its replies goes to somebody. */
  get sends(): boolean {
    return false;
  }

  /** Something of its private context: by the name, or the name behind `_` or `__`. */
  getAdapter(name: string): unknown {
    const context = this.options.context ?? {};
    for (const one of [name, `_${name}`, `__${name}`]) if (Object.hasOwn(context, one)) return context[one];
    return undefined;
  }

  /**
   * Freezes everything a job is made from: with the settings and files of the kit it is open in (of several, the first), or
   * else those of this process. Later changes of the agent do not change it.
   */
  createJobDef(options: JobDefOptions = {}): JobDef {
    const compiled = hostsOf(this)[0]?.tasks.compiled(this.role);
    return (compiled ?? new CompiledAgent(this, AgentEnvironment.ofProcess())).createJobDef(options);
  }

  /**
   * A typed function that the agent carries out: input and output follow a schema, and each call is a job.
   *
   * @example
   * import { Agent, Models } from 'statek';
   * import { scriptedModel } from 'statek/testing';
   * import { z } from 'zod';
   *
   * const script = scriptedModel(['exit(input.text.split(" ").length)']);
   * const models = new Models({ models: { script } });
   * const agent = new Agent({ role: 'counter', chatStyle: 'CONSOLE', metadata: { MODEL: 'script' }, models });
   * const countWords = agent.task({
   *   input: z.object({ text: z.string() }),
   *   output: z.number(),
   *   description: 'Counts the words of a text.',
   * });
   * console.log(await countWords({ text: 'to be or not' })); // prints 4
   */
  task<Input extends StandardSchema, Output extends StandardSchema>(
    options: TaskOptions<Input, Output>,
  ): TaskFunction<InferInput<Input>, InferOutput<Output>> {
    return makeTask(this, options);
  }

  /** @internal What the system adds to its tools; without a runtime they can be described, and not called. */
  systemTools(owner: ToolOwner & Reader, runtime: (SystemRuntime & MemoryRuntime) | undefined): readonly KnownTool[] {
    return [...systemTools(owner, runtime), ...readingTools(owner, runtime), ...memoryTools(owner, runtime)];
  }

  /** @internal What is wrong with a result, if the job is a call of a task. */
  refusedResult(name: string | null, value: unknown): string | undefined {
    return name === null ? undefined : this.tasks.get(name)?.refused(value);
  }

  /** @internal What its models are reminded of; undefined if nothing was said, null if it was taken back. */
  get reminder(): Reminder | null | undefined {
    return undefined;
  }

  /** @internal The function that sends prose to somebody. */
  get sender(): object | undefined {
    return undefined;
  }

  /** @internal */
  send(_text: string, _call: CallContext): unknown {
    return undefined;
  }

  /** What its tools can do, in words of the application. */
  get capabilities(): readonly string[] {
    return [...new Set(this.tools.flatMap(({ hidden, capabilities }) => (hidden ? [] : capabilities)))];
  }

  /** @internal Tells the tools that a job has failed; each of them, whatever the others do. */
  async jobFailed(failure: JobFailure, call: CallContext, again: boolean): Promise<void> {
    const context = {
      ...call,
      job: failure.job,
      agent: this.role,
      getAdapter: (name: string): unknown => this.getAdapter(name),
    };
    for (const { name, onJobError, call: options } of this.tools) {
      // The process died when they were told before: only what may be done twice is done again.
      if (again && options.idempotent !== true) continue;
      try {
        await onJobError?.(failure, context);
      } catch (error) {
        process.emitWarning(`onJobError of '${name}' threw: ${String(error)}`, 'StatekWarning');
      }
    }
  }
}

/** Options that other kinds of agents have. */
const kindWith: Readonly<Record<string, string>> = { warmup: 'SupervisedAgent', sendMessage: 'DialogAgent' };

function refuseOptionsOfOtherKinds(options: AgentOptions, known: OptionNames<AgentOptions>): void {
  const name = Object.keys(options).find((one) => Object.hasOwn(kindWith, one) && !Object.hasOwn(known, one));
  if (name !== undefined)
    throw new InvalidOptionError(
      `The agent '${options.role}': an Agent has no '${name}'. Use new ${kindWith[name]}(…).`,
      {
        name,
      },
    );
}
