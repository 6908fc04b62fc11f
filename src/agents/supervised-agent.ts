// An agent whose jobs begin with code of the application: the warmup.
import { Agent, agentOptionNames, type AgentOptions } from './agent.ts';

export interface SupervisedAgentOptions extends AgentOptions {
  /** Code that runs before the first turn, in blocks separated by comment lines of ten or more dashes. */
  readonly warmup?: string | undefined;
}

export const supervisedOptionNames: readonly string[] = [...agentOptionNames, 'warmup'];

export class SupervisedAgent extends Agent {
  readonly #warmup: string;

  constructor(options: SupervisedAgentOptions, optionNames: readonly string[] = supervisedOptionNames) {
    super(options, optionNames);
    this.#warmup = options.warmup ?? '';
  }

  protected override get ownWarmup(): string {
    return this.#warmup;
  }
}
