// An agent is a reusable role: prompt, tools, model, language. It holds no state of its own; its jobs do.
import { InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import { difficulties, type Difficulty } from '../models/difficulty.ts';
import { agentOptionNames, jobDefOptionNames, type AgentOptions, type JobDefOptions } from './agent-options.ts';
import { JobDef, type JobDefinition } from './definition.ts';
import type { StoredLimits } from './limits.ts';
import { limitsOf } from './settings/job-limits.ts';
import type { ReminderKeeper } from './reminder.ts';
import { parseTemplate } from './prompts/parse-prompt.ts';
import { metadataOf, type AgentMetadata, type Language } from './prompts/metadata.ts';
import { listingNames, type Prompt } from './prompts/prompt.ts';
import { languageHint, languageRule } from './locale/locale.ts';
import { Surroundings } from './surroundings.ts';
import { readingTools } from './tools/reading-tools.ts';
import { memoryTools, type MemoryRuntime } from './tools/memory-tools.ts';
import { builtInPostProcessor, isPostProcessor, type PostProcessor } from './post-processors.ts';
import { chatStyles, type ChatStyle } from './settings/chat-style.ts';
import { styleRule } from './chat/rules.ts';
import { briefWorkspace } from './docs/workspace-functions.ts';
import { dialects } from './language.ts';
import { isInScope } from './prompts/tools-scope.ts';
import { declarationOfTool, listing } from './listing.ts';
import { makeTask, type Task, type TaskFunction, type TaskKit, type TaskOptions } from './tasks/task.ts';
import type { CallContext } from '../workspace/call-options.ts';
import { systemTools, type SystemRuntime } from './tools/system-tools.ts';
import type { InferInput, InferOutput, StandardSchema } from './tools/schema.ts';
import type { JobFailure } from './tools/tool.ts';
import { AgentToolbox } from './tools/agent-tools.ts';
import type { ToolSource } from './tools/tool-source.ts';
import { offeredTools, type KnownTool } from './tools/toolbox.ts';
import { contextDeclarations } from './types/context.ts';
import { refuseTypeCheck } from './types/available.ts';
import { warmupBlocks } from './warmup.ts';

export class Agent {
  readonly role: string;
  readonly options: AgentOptions;
  readonly postProcessors: readonly PostProcessor[];
  /** @internal Tasks by their names. */
  readonly tasks = new Map<string, Task>();
  /** @internal The kit that carries out its tasks; set when one is opened with it. */
  kit: TaskKit | undefined;
  readonly #toolbox: AgentToolbox;
  #surroundings: Surroundings | undefined;

  constructor(options: AgentOptions, optionNames: readonly string[] = agentOptionNames) {
    refuseUnknownOptions('Agent', options, optionNames);
    const { role, chatStyle, postProcessors = [] } = options;
    if (typeof role !== 'string' || role === '' || role.length > 100)
      throw new InvalidOptionError('An agent needs a role of 1 to 100 characters.', { name: 'role' });
    if (chatStyle !== undefined && !chatStyles.includes(chatStyle))
      throw new InvalidOptionError(`The agent '${role}': 'chatStyle' is one of ${chatStyles.join(', ')}.`, {
        name: 'chatStyle',
      });
    for (const one of postProcessors)
      if (!isPostProcessor(one))
        throw new InvalidOptionError(`The agent '${role}': a post-processor has a name and a function 'process'.`, {
          name: 'postProcessors',
        });
    this.role = role;
    this.options = options;
    this.postProcessors = postProcessors;
    this.#toolbox = new AgentToolbox(role, options.tools ?? [], options.internalTools ?? []);
  }

  /** What it was given to call; lists of tools that change are as they are now. */
  get tools(): readonly KnownTool[] {
    return this.#toolbox.all;
  }

  /** @internal Where tools come from that are not its own. */
  get toolSources(): ReadonlySet<ToolSource> {
    return this.#toolbox.sources;
  }

  /** What other agents read of it. */
  get description(): string {
    const set = this.options.metadata?.['DESCRIPTION'];
    return (
      this.options.description ?? (typeof set === 'string' ? set : (this.#promptFile()?.metadata.description ?? ''))
    );
  }

  /** @internal What is around it; the kit it is opened with says so, or else the process. */
  get surroundings(): Surroundings {
    return (this.#surroundings ??= Surroundings.ofProcess());
  }

  /** @internal */
  set surroundings(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** What its model writes. */
  get language(): Language {
    const { language, metadata } = this.options;
    const set = language ?? metadata?.['LANGUAGE'] ?? this.#promptFile()?.metadata.language;
    return typeof set === 'string' && set.toLowerCase() === 'python' ? 'python' : 'typescript';
  }

  /** @internal The chat style of a job that says nothing else. */
  get usualStyle(): ChatStyle {
    return this.options.chatStyle ?? this.ownStyle ?? this.surroundings.settings.values.chatStyle ?? 'MARKDOWN';
  }

  /** The chat style unless something else is said. */
  protected get ownStyle(): ChatStyle | undefined {
    return undefined;
  }

  /** Code that runs in every job before its first turn. */
  protected ownWarmup(_language: Language): string {
    return '';
  }

  /** Code that runs before every warmup, hidden from the model. */
  protected ownPrelude(_language: Language): string {
    return '';
  }

  /** @internal The names in its own warmup; not those in what a job was given by another one. */
  warmupNames(): ReadonlySet<string> {
    const { language } = this;
    return new Set(`${this.ownPrelude(language)}\n${this.ownWarmup(language)}`.match(/[A-Za-z_$][\w$]*/g) ?? []);
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

  /** Freezes everything a job is made from. Later changes of the agent do not change it. */
  createJobDef(options: JobDefOptions = {}): JobDef {
    refuseUnknownOptions('createJobDef', options, jobDefOptionNames);
    const where = `The agent '${this.role}'`;
    const file = this.#promptFile();
    const metadata = metadataOf(where, { ...file?.metadata.entries, ...this.options.metadata, ...options.metadata });
    const { settings } = this.surroundings;
    const style = this.#style(options, metadata);
    const language = this.options.language ?? metadata.language ?? file?.metadata.language ?? 'typescript';
    const parameters = options.parameters ?? {};
    const tools = this.tools.filter(({ hidden }) => !hidden);
    const temperature = metadata.temperature;
    // One that does not exist, or cannot be made so, is found now and not in the middle of a job.
    for (const one of metadata.postProcessors ?? []) builtInPostProcessor(one);
    const definition: JobDefinition = {
      role: this.role,
      prompt: this.#prompt(file, metadata, style, language, options),
      metadata: { ...metadata.entries },
      parameters,
      style,
      language,
      models: metadata.model,
      ...(metadata.provider === undefined ? {} : { provider: metadata.provider }),
      fallbacks: options.fallbacks ?? this.options.fallbacks ?? [],
      ...(temperature === undefined ? {} : { temperature }),
      ...(this.options.settings === undefined && options.settings === undefined
        ? {}
        : { settings: { ...this.options.settings, ...options.settings } }),
      difficulty: metadata.defaultDifficulty ?? settings.values.defaultDifficulty,
      tools: offeredTools(this.allTools(), {
        style,
        language,
        scope: metadata.toolsScope,
        docOf: (one) => declarationOfTool(one, this.surroundings.knowledge).doc,
      }),
      schemas: Object.fromEntries(
        tools.map(({ name, input, positional }) => [
          name,
          { input: input?.marked ?? null, ...(positional ? { positional: true as const } : {}) },
        ]),
      ),
      warmup: [
        ...warmupBlocks(this.ownPrelude(language), language),
        ...warmupBlocks(options.warmup ?? '', language),
        ...warmupBlocks(this.ownWarmup(language), language),
      ],
      limits: this.#limits(metadata, options),
      contextTokens: this.options.contextTokens ?? 100_000,
      consoleCharacters: this.options.consoleCharacters ?? 20_000,
      postProcessors: metadata.postProcessors ?? [],
      ...(options.locale === undefined ? {} : { locale: options.locale }),
      ...(options.locale !== undefined && metadata.languageHint === true ? { hint: languageHint(options.locale) } : {}),
      ...(settings.values.consoleBox === undefined ? {} : { boxes: { console: settings.values.consoleBox } }),
      ...this.#types(metadata, language, options.vars ?? {}),
      ...(options.task === undefined ? {} : { task: options.task }),
    };
    return new JobDef(definition);
  }

  /** A typed function that the agent carries out. */
  task<Input extends StandardSchema, Output extends StandardSchema>(
    options: TaskOptions<Input, Output>,
  ): TaskFunction<InferInput<Input>, InferOutput<Output>> {
    return makeTask(this, options);
  }

  /** @internal Its own tools, and those the system adds. */
  allTools(): readonly KnownTool[] {
    const names = new Set(this.tools.map(({ name }) => name));
    return [...this.tools, ...this.systemTools(undefined).filter(({ name }) => !names.has(name))];
  }

  /** @internal What the system adds; without a runtime they can be described, and not called. */
  systemTools(runtime: (SystemRuntime & MemoryRuntime) | undefined): readonly KnownTool[] {
    return [...systemTools(this, runtime), ...readingTools(this, runtime), ...memoryTools(this, runtime)];
  }

  /** @internal The definition of a job that another job started; its input may say more. */
  definitionFor(options: object): JobDef {
    const known = Object.entries(options).filter(([name]) => jobDefOptionNames.includes(name));
    return this.createJobDef(Object.fromEntries(known));
  }

  /** @internal What is wrong with a result, if the job is a call of a task. */
  refusedResult(name: string | null, value: unknown): string | undefined {
    return name === null ? undefined : this.tasks.get(name)?.refused(value);
  }

  /** @internal Somebody keeps what it reminds its models of; only agents that talk have something to keep. */
  keepReminders(_keeper: ReminderKeeper): Promise<() => void> {
    return Promise.resolve(() => undefined);
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

  /** Declarations for the type checker, if code is to be checked. */
  #types(metadata: AgentMetadata, language: Language, vars: Readonly<Record<string, unknown>>): { types?: string } {
    if (!(metadata.typeCheck ?? this.options.typeCheck ?? false)) return {};
    refuseTypeCheck(this.role, language);
    const { knowledge } = this.surroundings;
    return { types: contextDeclarations({ tools: this.allTools(), vars, knowledge, role: this.role }) };
  }

  #style({ chatStyle }: JobDefOptions, metadata: AgentMetadata): ChatStyle {
    return chatStyle ?? metadata.chatStyle ?? this.usualStyle;
  }

  #limits(metadata: AgentMetadata, options: JobDefOptions): StoredLimits {
    return limitsOf(this.role, this.surroundings.settings, [metadata.limits, this.options.limits, options.limits]);
  }

  /** The file with its prompt, if it has none of its own. */
  #promptFile(): Prompt | undefined {
    if (this.options.systemPrompt !== undefined) return undefined;
    return this.surroundings.prompts?.find(this.role, this.options.parameters);
  }

  #prompt(
    file: Prompt | undefined,
    metadata: AgentMetadata,
    style: ChatStyle,
    language: Language,
    { parameters = {}, vars = {}, task: taskName, locale }: JobDefOptions,
  ): Record<Difficulty, string> {
    const template =
      file?.template ??
      parseTemplate(this.options.systemPrompt ?? '', {
        path: `The prompt of '${this.role}'`,
        parameters: [...(this.options.parameters ?? []), ...(metadata.parameters ?? [])],
      });
    const shown = this.allTools().filter(({ hidden, target }) => !hidden && (target?.includes(style) ?? true));
    const own = shown.filter(({ system }) => !system);
    const context = { tools: own, language, role: this.role, knowledge: this.surroundings.knowledge, vars };
    const values = (name: string): string | undefined =>
      (listingNames as readonly string[]).includes(name)
        ? listing(name as (typeof listingNames)[number], context)
        : textOf(parameters[name]);
    const listsTools = ['brief_tools', 'tools', 'detailed_tools'].some((name) => template.placeholders.has(name));
    const isSpoken = locale !== undefined && metadata.languageRule !== false;
    const task = taskName === undefined ? undefined : this.tasks.get(taskName);
    // Without a way to run code there is nothing to call but the provider's tools.
    const runsCode = style !== 'DIRECT' || offersCode(metadata, language);
    const after = [
      metadata.styleRule === false ? '' : styleRule(style, language),
      template.placeholders.has('types') ? '' : titled('Variables', listing('types', { ...context, detail: 'brief' })),
      listsTools ? '' : titled('Tools', listing('tools', context)),
      runsCode
        ? titled(
            'In the workspace',
            [
              briefWorkspace(language),
              listing('brief_tools', { ...context, tools: shown.filter(({ system }) => system) }),
            ]
              .filter(Boolean)
              .join('\n'),
          )
        : '',
      task === undefined ? '' : task.instructions(language),
    ];
    return Object.fromEntries(
      difficulties.map((difficulty) => [
        difficulty,
        [template.render(difficulty, values), ...after, isSpoken ? languageRule(locale) : '']
          .filter((text) => text.trim() !== '')
          .join('\n\n'),
      ]),
    ) as Record<Difficulty, string>;
  }
}

/** A DIRECT agent has its code tool unless its scope leaves it out. */
function offersCode({ toolsScope }: AgentMetadata, language: Language): boolean {
  return toolsScope === undefined || isInScope(toolsScope, { name: dialects[language].codeTool, system: true });
}

function titled(title: string, text: string): string {
  return text === '' ? '' : `${title}:\n\n${text}`;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
