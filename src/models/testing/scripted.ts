// A model with scripted replies, subject to the same retries, limits and streaming as a real one.
import { choiceOption, listOption, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { ModelAnswer, BackendRequest, ModelBackend, ModelTurn } from '../backend.ts';
import { ModelScriptError } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { messageText, type AssistantPart, type ToolCallPart } from '../message.ts';
import { readScript } from './script-file.ts';
import { scriptedError } from './scripted-faults.ts';
import { replyNames, type ScriptedReply, type ScriptedToolCall, type ScriptStep } from './scripted-reply.ts';

/** How a scripted model goes through its script. */
export interface ScriptedModelOptions {
  /** Its name in usage and errors (default: `scripted`). */
  readonly name?: string;
  /**
   * Which reply comes next. `order` (the default): the next in the list. `turn`: the one whose index is the number of
   * replies in the request, so that a job continues in its script after its process was killed.
   */
  readonly by?: 'order' | 'turn';
  /** How many of the latest requests are kept in `requests`; default: all. For models that are asked for hours. */
  readonly keepRequests?: number | undefined;
}

/** A scripted model with the requests it received. */
export interface ScriptedModel extends ModelBackend {
  readonly requests: readonly BackendRequest[];
  /** The number of unused replies. */
  readonly left: number;
}

/**
 * A model that says what a script says, for tests and examples. `script` is a list of replies, or the path of a file of them
 * (JSON, or text with lines of ten or more dashes between).
 *
 * @example
 * import { Models } from 'statek';
 * import { scriptedModel } from 'statek/testing';
 *
 * const script = scriptedModel(['Hello!', ({ messages }) => `You have sent ${messages.length} messages.`]);
 * const models = new Models({ models: { script } });
 * await models.ask({ model: 'script', messages: [{ role: 'user', content: 'Hello?' }] });
 * console.log(script.requests.length, script.left); // prints 1 1
 */
export function scriptedModel(
  script: readonly ScriptStep[] | string,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  refuseUnknownOptions('scriptedModel', options, { name: true, by: true, keepRequests: true });
  if (options.by !== undefined) choiceOption('scriptedModel', 'by', options.by, ['order', 'turn']);
  if (typeof script !== 'string') listOption('scriptedModel', 'replies', script);
  return new Scripted(typeof script === 'string' ? readScript(script) : script, options);
}

class Scripted implements ScriptedModel {
  readonly provider = 'scripted';
  readonly model: string;
  readonly requests: BackendRequest[] = [];
  readonly #steps: readonly ScriptStep[];
  readonly #by: 'order' | 'turn';
  readonly #keepRequests: number;
  #given = 0;
  #calls = 0;

  constructor(steps: readonly ScriptStep[], { name = 'scripted', by = 'order', keepRequests }: ScriptedModelOptions) {
    if (keepRequests !== undefined)
      wholeNumberOption('scriptedModel', 'keepRequests', keepRequests, 0, Number.MAX_SAFE_INTEGER);
    this.#keepRequests = keepRequests ?? Number.POSITIVE_INFINITY;
    for (const step of steps) if (typeof step === 'object') refuseUnknownOptions('A scripted reply', step, replyNames);
    this.model = name;
    this.#steps = steps;
    this.#by = by;
  }

  get left(): number {
    return Math.max(0, this.#steps.length - this.#given);
  }

  async answer(request: BackendRequest, turn: ModelTurn): Promise<ModelAnswer> {
    this.requests.push(structuredClone(request));
    if (this.requests.length > this.#keepRequests) this.requests.shift();
    const number = this.#by === 'order' ? this.#given : repliesIn(request);
    this.#given = Math.max(this.#given, number + 1);
    const step = this.#steps[number];
    if (step === undefined) throw this.#failed(request, `it has no reply number ${number + 1}`);
    const written = typeof step === 'function' ? await step(request) : step;
    const reply = typeof written === 'string' ? { text: written } : written;
    refuseUnknownOptions('A scripted reply', reply, replyNames);
    this.#check(reply, request);
    return this.#say(reply, request, turn);
  }

  async #say(reply: ScriptedReply, request: BackendRequest, turn: ModelTurn): Promise<ModelAnswer> {
    const wait = (): Promise<void> =>
      reply.delay === undefined ? Promise.resolve() : turn.sleep(reply.delay, turn.signal);
    await wait();
    const error = scriptedError(reply);
    if (error !== undefined && reply.fault !== 'cut') throw error;
    const content: AssistantPart[] = [];
    if (reply.reasoning !== undefined) {
      turn.emit({ type: 'reasoning', text: reply.reasoning });
      content.push({ type: 'reasoning', text: reply.reasoning });
    }
    const pieces = typeof reply.text === 'string' ? [reply.text] : (reply.text ?? []);
    for (const [index, text] of pieces.entries()) {
      if (index > 0) await wait();
      turn.emit({ type: 'text', text });
    }
    if (pieces.length > 0) content.push({ type: 'text', text: pieces.join('') });
    if (error !== undefined) throw error;
    if (reply.fault === 'silence') await new Promise<never>(() => undefined);
    for (const call of reply.toolCalls ?? []) content.push(this.#call(call, turn));
    return {
      content,
      finish: reply.finish ?? ((reply.toolCalls ?? []).length > 0 ? 'tool-calls' : 'stop'),
      tokens: { ...countedTokens(request, content), ...reply.tokens },
      ...(reply.cost === undefined ? {} : { cost: reply.cost }),
    };
  }

  #call({ name, input, id = `call-${++this.#calls}` }: ScriptedToolCall, turn: ModelTurn): ToolCallPart {
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    turn.emit({ type: 'tool-call', id, name, text });
    const call = { type: 'tool-call', id, name } as const;
    try {
      const read = JSON.parse(text) as JsonValue;
      return isJsonObject(read) ? { ...call, input: read } : { ...call, input: text, invalid: 'not a JSON object' };
    } catch (error) {
      return { ...call, input: text, invalid: `not JSON: ${(error as Error).message}` };
    }
  }

  #check({ expect }: ScriptedReply, request: BackendRequest): void {
    if (expect === undefined) return;
    const last = request.messages.at(-1);
    const text = last === undefined ? '' : messageText(last);
    const met = typeof expect === 'string' ? text.includes(expect) : text.search(expect) >= 0;
    if (!met)
      throw this.#failed(request, `it expects ${typeof expect === 'string' ? JSON.stringify(expect) : String(expect)}`);
  }

  #failed(request: BackendRequest, why: string): ModelScriptError {
    const last = request.messages.at(-1);
    const asked = last === undefined ? 'nothing' : JSON.stringify(messageText(last).slice(0, 500));
    return new ModelScriptError(
      `The request does not match the script: ${why}. The last message was ${asked} (role ${last?.role ?? 'none'}).`,
      {
        request: this.requests.length,
      },
    );
  }
}

function repliesIn({ messages }: BackendRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

/** Estimates four characters per token: deterministic, and never zero. */
function countedTokens(request: BackendRequest, content: readonly AssistantPart[]): ModelAnswer['tokens'] {
  const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
  const reasoning = content.filter(({ type }) => type === 'reasoning');
  return {
    input: tokens(request.messages),
    output: tokens(content),
    cached: 0,
    cacheWrite: 0,
    reasoning: reasoning.length === 0 ? 0 : tokens(reasoning),
  };
}
