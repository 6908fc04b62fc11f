// An agent that talks with somebody: what it writes is sent, once its reply is in the store, and never twice.
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import { callWith, type CallContext } from '../workspace/call-options.ts';
import type { ReminderState } from './agent.ts';
import type { ChatStyle } from './settings/chat-style.ts';
import { SupervisedAgent, supervisedOptionNames, type SupervisedAgentOptions } from './supervised-agent.ts';
import { systemTool, type SystemRuntime } from './tools/system-tools.ts';
import type { MemoryRuntime } from './tools/memory-tools.ts';
import { tool, type ToolContext } from './tools/tool.ts';
import type { KnownTool } from './tools/toolbox.ts';

/** Sends something to the user of a job. Declare it `idempotent` with `tool(…)` if it may be sent again after a crash. */
export type SendMessage = (body: string, media: unknown, context: ToolContext) => unknown;

export interface DialogAgentOptions extends SupervisedAgentOptions {
  readonly sendMessage: SendMessage;
}

export interface ReminderOptions {
  /** Remind again whenever something was done since. */
  readonly everyAnswer?: boolean | undefined;
  /** Not before the user has said so many things; 1 unless told. */
  readonly minDialogLength?: number | undefined;
}

export class DialogAgent extends SupervisedAgent {
  readonly #sendMessage: SendMessage;
  #reminder: { readonly text: string; readonly options: ReminderOptions } | undefined;

  constructor(options: DialogAgentOptions) {
    super(options, [...supervisedOptionNames, 'sendMessage']);
    if (typeof options.sendMessage !== 'function')
      throw new InvalidOptionError(`The agent '${this.role}' needs a function 'sendMessage'.`, { name: 'sendMessage' });
    this.#sendMessage = options.sendMessage;
  }

  /** What the model is told before an answer is given; it then gets one more turn. Undefined takes it back. */
  setReminder(text: string | undefined, options: ReminderOptions = {}): void {
    refuseUnknownOptions('setReminder', options, ['everyAnswer', 'minDialogLength']);
    if (options.minDialogLength !== undefined)
      wholeNumberOption('setReminder', 'minDialogLength', options.minDialogLength, 0, 1_000_000);
    this.#reminder = text === undefined ? undefined : { text, options };
  }

  protected override get ownStyle(): ChatStyle {
    return 'MD_DIALOG';
  }

  override get sends(): boolean {
    return true;
  }

  override get sender(): object {
    return this.#sendMessage;
  }

  override send(text: string, call: CallContext): unknown {
    return this.#send(text, undefined, call);
  }

  override reminderFor({ reminded, messages }: ReminderState): string | undefined {
    if (this.#reminder === undefined || reminded) return undefined;
    const { text, options } = this.#reminder;
    return messages < (options.minDialogLength ?? 1)
      ? undefined
      : `${text}\n(Your last reply was not sent yet. Write your answer again, corrected if need be.)`;
  }

  /** @internal Whether work that was done asks for another reminder. */
  override get remindsAgain(): boolean {
    return this.#reminder?.options.everyAnswer === true;
  }

  override systemTools(runtime: (SystemRuntime & MemoryRuntime) | undefined): readonly KnownTool[] {
    const answer = tool<{ body: string; media?: unknown }, Promise<void>>({
      name: 'answer',
      description: 'Sends a message to the user at once, while you go on working.',
      input: { type: 'object', properties: { body: { type: 'string' }, media: {} }, required: ['body'] },
      execute: async ({ body, media }, context) => {
        await this.#send(body, media, context);
      },
    });
    return [...super.systemTools(runtime), systemTool(answer)];
  }

  #send(body: string, media: unknown, call: CallContext): unknown {
    const getAdapter = (name: string): unknown => this.getAdapter(name);
    const context: ToolContext = { ...call, job: call.workspace, agent: this.role, getAdapter };
    return callWith(
      this.#sendMessage as (...parameters: unknown[]) => unknown,
      undefined,
      [body, media, context],
      call,
    );
  }
}
