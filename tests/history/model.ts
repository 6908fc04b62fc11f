// A history next to a model of it: the model keeps every image whole, and knows which commits must still be there.
import { ManualClock } from '../../src/base/clock.ts';
import type { CommitHash, Head, History, Image } from '../../src/history/history.ts';
import type { TransactionPart } from '../../src/store/transaction-part.ts';
import { openHistory } from '../../src/history/open.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import type { Store } from '../../src/store/store.ts';
import type { Random } from '../crash/random.ts';
import { ImageProgram, randomBoot, sameImage } from '../support/image-program.ts';

interface ModelCommit {
  readonly hash: CommitHash;
  readonly image: Image;
  readonly time: number;
  readonly tags: Set<string>;
}

interface ModelChain {
  readonly name: string;
  readonly program: ImageProgram;
  head: Head | undefined;
  /** Oldest first. */
  commits: ModelCommit[];
}

export class HistoryModel {
  readonly clock = new ManualClock(1_000_000);
  readonly #store: Store;
  readonly #random: Random;
  readonly #chains: ModelChain[] = [];
  #history: History;
  #names = 0;

  private constructor(store: Store, history: History, random: Random) {
    this.#store = store;
    this.#history = history;
    this.#random = random;
  }

  static async open(store: Store, random: Random): Promise<HistoryModel> {
    const model = new HistoryModel(store, await openHistory(store), random);
    await model.reopen();
    await model.create();
    return model;
  }

  async reopen(): Promise<void> {
    this.#history = await openHistory(this.#store, {
      clock: this.clock,
      cacheBytes: this.#random.pick([0, 60_000, 10_000_000]),
    });
    for (const chain of this.#chains) chain.head = undefined;
  }

  async create(): Promise<void> {
    const boot = randomBoot(this.#random);
    const name = `chain-${this.#names++}`;
    const prepared = await this.#history.create(name, boot, { made: name });
    await this.#commit(prepared);
    const commits = [this.#modelCommit(prepared.hash, boot)];
    this.#chains.push({ name, program: new ImageProgram(boot, this.#random), head: undefined, commits });
  }

  async step(): Promise<void> {
    this.clock.advance(this.#random.between(0, 1000));
    const choices: [number, () => Promise<void>][] = [
      [100, () => this.#change()],
      [4, () => this.#fork()],
      [5, () => this.#rollback()],
      [6, () => this.#tag()],
      [3, () => this.#retain()],
      [2, () => this.#removeChain()],
      [3, () => this.#collect()],
      [2, () => this.create()],
      [3, () => this.reopen()],
      [4, () => this.#checkOne()],
    ];
    let ticket = this.#random.between(0, choices.reduce((sum, [weight]) => sum + weight, 0) - 1);
    for (const [weight, action] of choices) {
      ticket -= weight;
      if (ticket < 0) return action();
    }
  }

  async collect(): Promise<void> {
    await this.#collect();
  }

  /** Every commit that must be there is, with its image; and no other is listed. Returns what is wrong. */
  async problems(): Promise<string[]> {
    const problems: string[] = [];
    for (const chain of this.#chains) {
      const listed: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await this.#history.list(chain.name, { limit: this.#random.between(1, 50), cursor });
        listed.push(...page.commits.filter((commit) => commit.chain === chain.name).map(({ hash }) => hash));
        cursor = page.cursor;
      } while (cursor !== undefined);
      const expected = chain.commits.map(({ hash }) => hash).toReversed();
      if (listed.join() !== expected.join())
        problems.push(`${chain.name} lists ${listed.length}, not ${expected.length}`);
      for (const commit of chain.commits) problems.push(...(await this.#problemsOf(chain, commit)));
    }
    return problems;
  }

  async #problemsOf(chain: ModelChain, { hash, image }: ModelCommit): Promise<string[]> {
    const checkout = await this.#history.checkout(chain.name, hash);
    return sameImage(checkout.image, image) ? [] : [`${chain.name} ${hash} has another image`];
  }

  async #checkOne(): Promise<void> {
    const chain = this.#random.pick(this.#chains);
    const problems = await this.#problemsOf(chain, this.#random.pick(chain.commits));
    if (problems.length > 0) throw new Error(problems.join());
  }

  async #change(): Promise<void> {
    const chain = this.#random.pick(this.#chains);
    if (chain.head === undefined) {
      const { head, image } = await this.#history.open(chain.name);
      const last = chain.commits.at(-1);
      if (last === undefined || !sameImage(image, last.image))
        throw new Error(`${chain.name} opens with another image`);
      chain.head = head;
    }
    const prepared = this.#history.prepare(chain.head, chain.program.run(), { step: chain.commits.length });
    if (this.#random.chance(0.1)) return chain.program.drop();
    chain.head = prepared.committed(await this.#commit(prepared));
    chain.commits.push(this.#modelCommit(prepared.hash, chain.program.image()));
    chain.program.keep();
  }

  async #fork(): Promise<void> {
    const from = this.#random.pick(this.#chains);
    const { hash, image } = this.#random.pick(from.commits);
    const name = `chain-${this.#names++}`;
    const prepared = await this.#history.fork(from.name, hash, name);
    await this.#commit(prepared);
    const commits = [this.#modelCommit(prepared.hash, image)];
    this.#chains.push({ name, program: new ImageProgram(image, this.#random), head: undefined, commits });
  }

  async #rollback(): Promise<void> {
    const index = this.#random.between(0, this.#chains.length - 1);
    const chain = this.#chains[index] as ModelChain;
    const { hash, image } = this.#random.pick(chain.commits);
    const prepared = await this.#history.rollback(chain.name, hash, { rollback: hash });
    await this.#commit(prepared);
    const commits = [...chain.commits, this.#modelCommit(prepared.hash, image)];
    const program = new ImageProgram(image, this.#random);
    this.#chains[index] = { name: chain.name, program, head: undefined, commits };
  }

  async #tag(): Promise<void> {
    const chain = this.#random.pick(this.#chains);
    const commit = this.#random.pick(chain.commits);
    const name = `tag-${this.#random.between(0, 3)}`;
    const old = chain.commits.find(({ tags }) => tags.has(name));
    if (old !== undefined && this.#random.chance(0.5)) {
      await this.#commit(await this.#history.untag(chain.name, name));
    } else {
      await this.#commit(await this.#history.tag(chain.name, commit.hash, name));
      commit.tags.add(name);
    }
    if (old !== undefined && old !== commit) old.tags.delete(name);
    else if (old !== undefined && (await this.#history.tags(chain.name)).every((tag) => tag.name !== name)) {
      old.tags.delete(name);
    }
  }

  async #retain(): Promise<void> {
    const chain = this.#random.pick(this.#chains);
    const last = this.#random.between(0, 30);
    const youngerThan = this.#random.chance(0.5) ? this.#random.between(0, 20_000) : undefined;
    await this.#history.retain(chain.name, { last, youngerThan });
    const now = this.clock.now();
    const { length } = chain.commits;
    chain.commits = chain.commits.filter(
      ({ tags, time }, index) =>
        index === length - 1 ||
        tags.size > 0 ||
        index >= length - last ||
        (youngerThan !== undefined && now - time < youngerThan),
    );
  }

  async #removeChain(): Promise<void> {
    if (this.#chains.length < 3) return;
    const index = this.#random.between(0, this.#chains.length - 1);
    const [chain] = this.#chains.splice(index, 1);
    await this.#history.remove(chain?.name ?? '');
  }

  async #collect(): Promise<void> {
    await this.#history.gc();
  }

  #modelCommit(hash: CommitHash, { bytes, header }: Image): ModelCommit {
    return { hash, image: { bytes, header }, time: this.clock.now(), tags: new Set() };
  }

  #commit(prepared: TransactionPart): Promise<number> {
    return mustCommit(this.#store, { checks: prepared.checks, writes: prepared.writes });
  }
}
