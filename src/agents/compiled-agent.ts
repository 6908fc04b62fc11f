// An agent in its environment: what it was given, together with the settings, prompt files and documents around it. Each kit
// compiles its agents once; definitions of jobs are made from what was compiled.
import { refuseUnknownOptions } from '../base/options.ts';
import { difficulties, type Difficulty } from '../models/door.ts';
import type { AgentDefinition } from './kinds/agent-definition.ts';
import { jobDefOptionNames, type JobDefOptions } from './kinds/agent-options.ts';
import { styleRule } from './chat/rules.ts';
import { JobDef, type JobDefinition } from './definition.ts';
import { snakeCase } from './docs/print/python-type.ts';
import { briefWorkspace } from './docs/workspace-functions.ts';
import type { AgentEnvironment } from './environment.ts';
import { dialects } from './language.ts';
import type { StoredLimits } from './limits.ts';
import { declarationOfTool, listing } from './listing.ts';
import { languageHint, languageRule } from './locale/locale.ts';
import { builtInPostProcessor } from './post-processors.ts';
import { metadataOf, type AgentMetadata, type Language } from './prompts/metadata.ts';
import { parseTemplate } from './prompts/parse-prompt.ts';
import { listingNames, type Prompt } from './prompts/prompt.ts';
import { isInScope } from './prompts/tools-scope.ts';
import { limitsOf } from './settings/job-limits.ts';
import type { ChatStyle } from './settings/chat-style.ts';
import { offeredTools, type KnownTool } from './tools/toolbox.ts';
import { contextDeclarations } from './types/context.ts';
import { refuseTypeCheck } from './types/available.ts';
import { warmupBlocks } from './warmup.ts';

export class CompiledAgent {
  readonly agent: AgentDefinition;
  readonly environment: AgentEnvironment;
  /** All tools, as long as its own are the same. */
  #tools: { readonly own: readonly KnownTool[]; readonly all: readonly KnownTool[] } | undefined;
  /** The definition of a job that is given nothing else, as long as tools, tasks and prompt file are the same. */
  #plain: { readonly tools: readonly KnownTool[]; readonly file: Prompt | undefined; readonly def: JobDef } | undefined;

  constructor(agent: AgentDefinition, environment: AgentEnvironment) {
    this.agent = agent;
    this.environment = environment;
  }

  get role(): string {
    return this.agent.role;
  }

  /** What other agents read of it. */
  get description(): string {
    const { description, metadata } = this.agent.options;
    const set = metadata?.['DESCRIPTION'];
    return description ?? (typeof set === 'string' ? set : (this.#promptFile()?.metadata.description ?? ''));
  }

  /** What its model writes. */
  get language(): Language {
    const { language, metadata } = this.agent.options;
    const set = language ?? metadata?.['LANGUAGE'] ?? this.#promptFile()?.metadata.language;
    return typeof set === 'string' && set.toLowerCase() === 'python' ? 'python' : 'typescript';
  }

  /** The chat style of a job that says nothing else. */
  get usualStyle(): ChatStyle {
    const { options, ownStyle } = this.agent;
    return options.chatStyle ?? ownStyle ?? this.environment.settings.values.chatStyle ?? 'MARKDOWN';
  }

  /** Names of its private context that its own warmup and the setup of its tasks use. */
  ownContextNames(): readonly string[] {
    const { agent, language } = this;
    const setups = [...agent.tasks.values()].map(({ setup }) => setup ?? '');
    return this.contextNamedIn([agent.ownPrelude(language), agent.ownWarmup(language, this.environment), ...setups]);
  }

  /** Names of its private context that code of the application uses, without the underscores before them. */
  contextNamedIn(sources: readonly string[]): readonly string[] {
    const used = new Set(sources.join('\n').match(/[A-Za-z_$][\w$]*/g) ?? []);
    const names = Object.keys(this.agent.options.context ?? {}).map((key) => key.replace(/^__?/, ''));
    return names.filter((name) => used.has(name) || used.has(snakeCase(name)));
  }

  /** Its own tools, and those the system adds. */
  allTools(): readonly KnownTool[] {
    const own = this.agent.tools;
    if (this.#tools?.own !== own) {
      const names = new Set(own.map(({ name }) => name));
      const system = this.agent.systemTools(this, undefined).filter(({ name }) => !names.has(name));
      this.#tools = { own, all: [...own, ...system] };
    }
    return this.#tools.all;
  }

  /** The definition of a job that another job started; its input may say more. */
  definitionFor(options: object): JobDef {
    const known = Object.entries(options).filter(([name]) => Object.hasOwn(jobDefOptionNames, name));
    return this.createJobDef(Object.fromEntries(known));
  }

  /** Freezes everything a job is made from. Later changes of the agent do not change it. */
  createJobDef(options: JobDefOptions = {}): JobDef {
    refuseUnknownOptions('createJobDef', options, jobDefOptionNames);
    const file = this.#promptFile();
    const tools = this.allTools();
    if (!isPlain(options)) return this.#jobDef(options, file);
    if (this.#plain?.tools !== tools || this.#plain.file !== file)
      this.#plain = { tools, file, def: this.#jobDef(options, file) };
    return this.#plain.def;
  }

  #jobDef(options: JobDefOptions, file: Prompt | undefined): JobDef {
    const where = `The agent '${this.role}'`;
    const metadata = metadataOf(where, {
      ...file?.metadata.entries,
      ...this.agent.options.metadata,
      ...options.metadata,
    });
    const { settings } = this.environment;
    const style = this.#style(options, metadata);
    const language = this.agent.options.language ?? metadata.language ?? file?.metadata.language ?? 'typescript';
    const parameters = options.parameters ?? {};
    const tools = this.agent.tools.filter(({ hidden }) => !hidden);
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
      fallbacks: options.fallbacks ?? this.agent.options.fallbacks ?? [],
      ...(temperature === undefined ? {} : { temperature }),
      ...(this.agent.options.settings === undefined && options.settings === undefined
        ? {}
        : { settings: { ...this.agent.options.settings, ...options.settings } }),
      difficulty: metadata.defaultDifficulty ?? settings.values.defaultDifficulty,
      tools: offeredTools(this.allTools(), {
        style,
        language,
        scope: metadata.toolsScope,
        docOf: (one) => declarationOfTool(one, this.environment.knowledge).doc,
      }),
      schemas: Object.fromEntries(
        tools.map(({ name, input, positional }) => [
          name,
          { input: input?.marked ?? null, ...(positional ? { positional: true as const } : {}) },
        ]),
      ),
      warmup: [
        ...warmupBlocks(this.agent.ownPrelude(language), language),
        ...warmupBlocks(options.warmup ?? '', language),
        ...warmupBlocks(this.agent.ownWarmup(language, this.environment), language),
      ],
      limits: this.#limits(metadata, options),
      contextTokens: this.agent.options.contextTokens ?? 100_000,
      consoleCharacters: this.agent.options.consoleCharacters ?? 20_000,
      postProcessors: metadata.postProcessors ?? [],
      ...(options.locale === undefined ? {} : { locale: options.locale }),
      ...(options.locale !== undefined && metadata.languageHint === true ? { hint: languageHint(options.locale) } : {}),
      ...(settings.values.consoleBox === undefined ? {} : { boxes: { console: settings.values.consoleBox } }),
      ...this.#types(metadata, language, options.vars ?? {}),
      ...(options.task === undefined ? {} : { task: options.task }),
    };
    return new JobDef(definition);
  }

  /** Declarations for the type checker, if code is to be checked. */
  #types(metadata: AgentMetadata, language: Language, vars: Readonly<Record<string, unknown>>): { types?: string } {
    if (!(metadata.typeCheck ?? this.agent.options.typeCheck ?? false)) return {};
    refuseTypeCheck(this.role, language);
    const { knowledge } = this.environment;
    return { types: contextDeclarations({ tools: this.allTools(), vars, knowledge, role: this.role }) };
  }

  #style({ chatStyle }: JobDefOptions, metadata: AgentMetadata): ChatStyle {
    return chatStyle ?? metadata.chatStyle ?? this.usualStyle;
  }

  #limits(metadata: AgentMetadata, options: JobDefOptions): StoredLimits {
    return limitsOf(this.role, this.environment.settings, [metadata.limits, this.agent.options.limits, options.limits]);
  }

  /** The file with its prompt, if it has none of its own. */
  #promptFile(): Prompt | undefined {
    if (this.agent.options.systemPrompt !== undefined) return undefined;
    return this.environment.prompts?.find(this.role, this.agent.options.parameters);
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
      parseTemplate(this.agent.options.systemPrompt ?? '', {
        path: `The prompt of '${this.role}'`,
        parameters: [...(this.agent.options.parameters ?? []), ...(metadata.parameters ?? [])],
      });
    const shown = this.allTools().filter(({ hidden, target }) => !hidden && (target?.includes(style) ?? true));
    const own = shown.filter(({ system }) => !system);
    const context = { tools: own, language, role: this.role, knowledge: this.environment.knowledge, vars };
    const values = (name: string): string | undefined =>
      (listingNames as readonly string[]).includes(name)
        ? listing(name as (typeof listingNames)[number], context)
        : textOf(parameters[name]);
    const listsTools = ['brief_tools', 'tools', 'detailed_tools'].some((name) => template.placeholders.has(name));
    const isSpoken = locale !== undefined && metadata.languageRule !== false;
    const task = taskName === undefined ? undefined : this.agent.tasks.get(taskName);
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

/** Nothing but what the agent itself says. */
function isPlain({ vars = {}, ...rest }: JobDefOptions): boolean {
  return Object.keys(vars).length === 0 && Object.values(rest).every((value) => value === undefined);
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
