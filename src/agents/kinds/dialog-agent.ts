// An agent that talks with somebody: what it writes is sent, once its reply is in the store, and never twice.
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption, type OptionNames } from '../../base/options.ts';
import { callWith, type CallContext } from '../../workspace/door.ts';
import { hostsOf } from '../open-agents.ts';
import type { Reminder } from '../reminder.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import { SupervisedAgent, supervisedOptionNames, type SupervisedAgentOptions } from './supervised-agent.ts';
import type { Reader } from '../tools/reading-tools.ts';
import { needed, systemTool, type SystemRuntime, type ToolOwner } from '../tools/system-tools.ts';
import type { MemoryRuntime } from '../tools/memory-tools.ts';
import { tool, toolDefinitionOf, type ToolContext } from '../tools/tool.ts';
import type { KnownTool } from '../tools/toolbox.ts';

const optionNames: OptionNames<DialogAgentOptions> = { ...supervisedOptionNames, sendMessage: true };

/** Sends something to the user of a job. Declare it `idempotent` with `tool(…)` if it may be sent again after a crash. */
export type SendMessage = (body: string, media: unknown, context: ToolContext) => unknown;

/** What a dialog agent is made from: that of a supervised agent, and the function that sends its messages. */
export interface DialogAgentOptions extends SupervisedAgentOptions {
  readonly sendMessage: SendMessage;
}

/**
 * An agent that talks with somebody: what it writes is sent, once its reply is in the store, and never twice.
 *
 * @example
 * import { DialogAgent, Models, Statek } from 'statek';
 * import { scriptedModel } from 'statek/testing';
 *
 * const clerk = new DialogAgent({
 *   role: 'clerk',
 *   metadata: { MODEL: 'script' },
 *   sendMessage: async (body) => console.log(body), // prints There are three.
 * });
 * const models = new Models({ models: { script: scriptedModel(['There are three.']) } });
 * const kit = await Statek.open({ store: 'memory:', agents: [clerk], models });
 * const job = await kit.submit(clerk, { message: 'How many rooms are there?' });
 * await job.result();
 * await kit.close();
 */
export class DialogAgent extends SupervisedAgent {
  readonly #sendMessage: SendMessage;
  /** What was set in this process; undefined if nothing was, null if it was taken back. */
  #reminder: Reminder | null | undefined;

  constructor(options: DialogAgentOptions) {
    super(options, optionNames);
    if (typeof options.sendMessage !== 'function')
      throw new InvalidOptionError(`The agent '${this.role}' needs a function 'sendMessage'.`, { name: 'sendMessage' });
    this.#sendMessage = options.sendMessage;
  }

  /**
   * What the model is told before an answer is given; it then gets one more turn. Undefined takes it back. It is kept by
   * role in the store of the kit the agent is open in, for every process. `everyAnswer` reminds again whenever something was
   * done since; `minDialogLength` (default: 1) is how many messages the user has sent before the first reminder.
   */
  async setReminder(
    text: string | undefined,
    options: { readonly everyAnswer?: boolean | undefined; readonly minDialogLength?: number | undefined } = {},
  ): Promise<void> {
    refuseUnknownOptions('setReminder', options, { everyAnswer: true, minDialogLength: true });
    const { everyAnswer, minDialogLength } = options;
    if (minDialogLength !== undefined)
      wholeNumberOption('setReminder', 'minDialogLength', minDialogLength, 0, 1_000_000);
    this.#reminder =
      text === undefined
        ? null
        : {
            text,
            ...(everyAnswer === undefined ? {} : { everyAnswer }),
            ...(minDialogLength === undefined ? {} : { minDialogLength }),
          };
    for (const host of hostsOf(this)) await host.keepReminder(this.role, this.#reminder ?? undefined);
  }

  /** @internal */
  override get reminder(): Reminder | null | undefined {
    return this.#reminder;
  }

  /** @internal */
  override get ownStyle(): ChatStyle {
    return 'MD_DIALOG';
  }

  /** @internal */
  override get sends(): boolean {
    return true;
  }

  /** @internal */
  override get sender(): object {
    return this.#sendMessage;
  }

  /** @internal */
  override send(text: string, call: CallContext): unknown {
    return this.#send(text, undefined, call);
  }

  /** @internal */
  override systemTools(
    owner: ToolOwner & Reader,
    runtime: (SystemRuntime & MemoryRuntime) | undefined,
  ): readonly KnownTool[] {
    const answer = tool<{ body: string; media?: unknown }, Promise<void>>({
      name: 'answer',
      description: 'Sends a message to the user at once, while you go on working.',
      input: { type: 'object', properties: { body: { type: 'string' }, media: {} }, required: ['body'] },
      execute: async ({ body, media }, context) => {
        if (await needed(runtime).isMute(context.job)) await needed(runtime).notify(context.job, { spoken: body });
        else await this.#send(body, media, context);
      },
    });
    return [...super.systemTools(owner, runtime), systemTool(answer)];
  }

  #send(body: string, media: unknown, call: CallContext): unknown {
    const getAdapter = (name: string): unknown => this.getAdapter(name);
    const context: ToolContext = { ...call, job: call.workspace, agent: this.role, getAdapter };
    const given = toolDefinitionOf(this.#sendMessage);
    // A tool has its context anyway, and takes what its schema says; without one, that is the text.
    const parameters =
      given === undefined
        ? [body, media, context]
        : given.input === undefined || media === undefined
          ? [body]
          : [body, media];
    return callWith(this.#sendMessage as (...parameters: unknown[]) => unknown, undefined, parameters, call);
  }
}
