// An agent whose jobs begin with code of the application: the warmup.
import type { OptionNames } from '../../base/options.ts';
import type { Language } from '../prompts/metadata.ts';
import { agentOptionNames, type AgentOptions } from './agent-options.ts';
import { Agent } from './agent.ts';
import type { AgentEnvironment } from '../environment.ts';

/** What a supervised agent is made from: that of an agent, and its warmup. */
export interface SupervisedAgentOptions extends AgentOptions {
  /** Code that runs before the first turn, in blocks separated by comment lines of ten or more dashes. */
  readonly warmup?: string | undefined;
}

export const supervisedOptionNames: OptionNames<SupervisedAgentOptions> = { ...agentOptionNames, warmup: true };

/**
 * An agent whose jobs begin with code of the application, the warmup, which its model sees as its own first steps.
 */
export class SupervisedAgent extends Agent {
  readonly #warmup: string | undefined;

  constructor(options: SupervisedAgentOptions);
  /** @internal A kind with more options names them. */
  constructor(options: SupervisedAgentOptions, optionNames?: OptionNames<SupervisedAgentOptions>);
  constructor(
    options: SupervisedAgentOptions,
    optionNames: OptionNames<SupervisedAgentOptions> = supervisedOptionNames,
  ) {
    super(options, optionNames);
    this.#warmup = options.warmup;
  }

  /** @internal Its own, or that of its file in the folder of warmups. */
  override ownWarmup(language: Language, { warmups }: AgentEnvironment): string {
    return this.#warmup ?? warmups?.find(this.role, language)?.text ?? '';
  }
}
