// A job of an agent, as the application sees it: what every job has, its conversation, and what it has used.
import { Job as DrivenJob, type JobParts } from '../jobs/job.ts';
import type { JobRow } from '../jobs/rows.ts';
import type { Difficulty } from '../models/difficulty.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import type { ModelRequest, ModelTokens, ModelUsage } from '../models/request.ts';
import { NotFoundError } from '../workspace/errors.ts';
import type { LocalsOptions } from '../workspace/locals.ts';
import { scanAll } from '../store/scan-all.ts';
import { answersIn } from './chat/answers.ts';
import { currentItems } from './chat/current.ts';
import { chatRows, type ChatItem, type ReplyItem } from './chat/item.ts';
import type { JobDefinition } from './definition.ts';
import type { Example } from './examples/example.ts';
import { exampleFromChat, formatExample } from './examples/example-text.ts';
import { exampleItems } from './examples/from-chat.ts';
import type { DeltaListener } from './loop/deltas.ts';
import { requestOf } from './loop/request.ts';
import type { AgentRuntime } from './loop/runtime.ts';
import type { LoopState } from './loop/state.ts';
import { ownVariables } from './tools/tool-variables.ts';

/** What one turn has used. */
export interface TurnUsage extends ModelUsage {
  /** Counts from 1. */
  readonly turn: number;
  /** The difficulty at which the model was chosen. */
  readonly difficulty: Difficulty;
  /** When the reply came. */
  readonly time: Date;
}

/** What a job has used. */
export interface JobUsage {
  /** Each turn of the model. */
  readonly turns: readonly TurnUsage[];
  /** All tokens, by kind. */
  readonly tokens: ModelTokens;
  /** US dollars, of the turns whose cost is known. */
  readonly cost: number;
  /** Tokens written per second, over all turns. */
  readonly tokensPerSecond: number | undefined;
}

/** What an example is called, and where it stands. */
export interface ExampleOptions {
  readonly name: string;
  /** Its number and its place in the list. */
  readonly number?: number | undefined;
  readonly difficulty?: Difficulty | undefined;
}

/** Something that was said to a job, and what it answered. */
export interface DialogPair {
  /** What was said to it. */
  readonly message: string | undefined;
  /** What it answered, in order. */
  readonly answers: readonly string[];
  /** Milliseconds from the message to the first answer. */
  readonly responseTime: number | undefined;
}

export class Job<Result = unknown> extends DrivenJob<Result> {
  readonly #runtime: AgentRuntime;
  readonly #state: () => LoopState | undefined;

  /** @internal */
  static ofAgent(parts: JobParts, row: JobRow, runtime: AgentRuntime): Job {
    return new Job(parts, row, runtime);
  }

  /** @internal */
  protected constructor(parts: JobParts, row: JobRow, runtime: AgentRuntime) {
    super(parts, row);
    this.#runtime = runtime;
    this.#state = () => this.row.state as unknown as LoopState | undefined;
  }

  /** Its conversation, item by item; with `undone`, also what was taken back by a rollback. */
  async chat(options: { readonly undone?: boolean | undefined } = {}): Promise<readonly ChatItem[]> {
    refuseUnknownOptions('job.chat', options, ['undone']);
    const items: ChatItem[] = [];
    for await (const { value } of scanAll(this.#runtime.store, chatRows, { prefix: [this.id] })) items.push(value);
    return options.undone === true ? items : currentItems(items);
  }

  /** A job of its own, of the same agent, with its variables and its conversation as they were at a commit. */
  override async fork(hash?: string, id?: string): Promise<Job<Result>> {
    return (await super.fork(hash, id)) as Job<Result>;
  }

  /** What it was made from. */
  async definition(): Promise<JobDefinition> {
    await this.refresh();
    const hash = this.#state()?.definition;
    if (hash === undefined) throw new NotFoundError(`The job '${this.id}' has not begun.`, { id: this.id });
    return this.#runtime.definition(hash);
  }

  /** What it has used, turn by turn and in all; each turn is priced at its own model. */
  async usage(): Promise<JobUsage> {
    const turns = (await this.#replies()).flatMap(({ usage, turn, difficulty, time }): TurnUsage[] =>
      usage === undefined ? [] : [{ ...usage, turn, difficulty, time: new Date(time) }],
    );
    const sum = (of: (usage: TurnUsage) => number): number => turns.reduce((total, usage) => total + of(usage), 0);
    const duration = sum((usage) => usage.duration);
    const output = sum(({ tokens }) => tokens.output);
    return {
      turns,
      tokens: {
        input: sum(({ tokens }) => tokens.input),
        output,
        cached: sum(({ tokens }) => tokens.cached),
        cacheWrite: sum(({ tokens }) => tokens.cacheWrite),
        reasoning: sum(({ tokens }) => tokens.reasoning),
      },
      cost: sum(({ cost }) => cost?.amount ?? 0),
      tokensPerSecond: duration === 0 ? undefined : (output * 1000) / duration,
    };
  }

  /** The request of a past turn, made again exactly as it was. */
  async request(turn: number): Promise<ModelRequest> {
    const reply = (await this.#replies()).find((item) => item.turn === turn);
    if (reply?.asked === undefined)
      throw new NotFoundError(`The job '${this.id}' has no turn ${turn} in which a model was asked.`, {
        id: this.id,
        turn,
      });
    return requestOf(this.#runtime, this.id, {
      ...reply.asked,
      difficulty: reply.difficulty,
      turn,
      heldBack: 0,
    });
  }

  /** What was said to it, and what it answered: what was sent, or what it ended its turn with. Drafts and code are not answers. */
  async dialog(): Promise<readonly DialogPair[]> {
    const pairs: {
      message: string | undefined;
      answers: string[];
      asked: number | undefined;
      first: number | undefined;
    }[] = [];
    const items = await this.chat();
    const given = answersIn(items, this.#state());
    for (const item of items) {
      if (item.kind === 'message') pairs.push({ message: item.text, answers: [], asked: item.time, first: undefined });
      const answer = given.get(item);
      if (answer === undefined) continue;
      if (pairs.length === 0) pairs.push({ message: undefined, answers: [], asked: undefined, first: undefined });
      const pair = pairs.at(-1);
      pair?.answers.push(answer);
      if (pair !== undefined) pair.first ??= item.time;
    }
    return pairs.map(({ message, answers, asked, first }) => ({
      message,
      answers,
      responseTime: asked === undefined || first === undefined ? undefined : first - asked,
    }));
  }

  /** Its conversation as an example, for others to learn from. `kit.playExample` makes a job of it again. */
  async toExample(options: ExampleOptions): Promise<Example> {
    refuseUnknownOptions('job.toExample', options, ['name', 'number', 'difficulty']);
    const { name, ...more } = options;
    if (typeof name !== 'string' || name.trim() === '')
      throw new InvalidOptionError('job.toExample: an example needs a name.', { name: 'name' });
    const { style, language } = await this.definition();
    return exampleFromChat(name, exampleItems(await this.chat(), style, language), more);
  }

  /** Writes its conversation as an example of its role into a folder of examples; returns the path of the file. */
  async saveExample(options: ExampleOptions & { readonly folder?: string | undefined }): Promise<string> {
    const { folder = this.#runtime.examplesFolder, ...more } = options;
    if (folder === undefined)
      throw new InvalidOptionError(
        'job.saveExample: say in which folder, or set STATEK_EXAMPLES or Statek.open({ settings: { examples } }).',
        { name: 'folder' },
      );
    const example = await this.toExample(more);
    const { language } = await this.definition();
    const place = join(folder, this.role);
    const file = join(place, `${example.name.replaceAll(/[^\p{L}\p{N}]+/gu, '_').slice(0, 100)}.md`);
    await mkdir(place, { recursive: true });
    await writeFile(file, formatExample(example, language));
    return file;
  }

  /**
   * Calls `listener` for pieces of replies as they arrive, in whichever process the job runs. They are not stored, and pieces
   * from other processes may be lost; the reply itself is in `chat()`. Returns the function that ends it.
   */
  onDelta(listener: DeltaListener): () => void {
    return this.#runtime.deltas.listen(this.id, listener);
  }

  /** Its variables, without the tools it can call. */
  override async locals(options: LocalsOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    return ownVariables(await super.locals(options));
  }

  /** Variables by their names, or by what they hold. */
  async findLocals(
    wanted: RegExp | (abstract new (...parameters: never[]) => unknown),
  ): Promise<Readonly<Record<string, unknown>>> {
    const names = Object.keys(await this.locals());
    if (wanted instanceof RegExp) {
      const found = names.filter((name) => wanted.test(name));
      return Object.fromEntries(await Promise.all(found.map(async (name) => [name, await this.local(name)] as const)));
    }
    const all = await Promise.all(names.map(async (name) => [name, await this.local(name)] as const));
    return Object.fromEntries(all.filter(([, value]) => value instanceof wanted));
  }

  async #replies(): Promise<ReplyItem[]> {
    // What was taken back was asked and paid for all the same.
    return (await this.chat({ undone: true })).filter((item): item is ReplyItem => item.kind === 'reply');
  }
}
