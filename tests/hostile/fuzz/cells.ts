// Random cells: hostile snippets cut and spliced, random words, random bytes. They run one after the other in one
// workspace, so each finds what the ones before it left; every one must be answered, whatever its end.
import * as fc from 'fast-check';
import type { Statek } from '../../../src/kit/statek.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { canaryState, changedCanaries } from '../canaries.ts';
import { hostileLimits, openHostileKit } from '../check.ts';
import { routes } from '../snippets.ts';
import { makeWorld, type World } from '../world.ts';

const sources: readonly string[] = Object.values(routes)
  .flatMap((snippets) => Object.values(snippets))
  .map((snippet) => (typeof snippet === 'string' ? snippet : snippet.code))
  .filter((code) => code.length < 2000);

const words =
  'let const var function class async await yield for while do if else try catch finally throw new this super => ... ?? ?. ** in of typeof delete ( ) [ ] { } , ; : = + - ! ~ ` ${ } "a" 0 1n /x/g x y interface type enum as satisfies <T> : number declare import export service account list table tags closed frozen plain sleep(1) signal("s") ask("q") until(0) print console.log service.echo service.each service.later service.child() account.deposit list.push table.set tags.add Map Set Proxy Symbol.iterator Promise.all Array eval JSON globalThis Reflect.construct Object.defineProperty __proto__ constructor prototype then toJSON label: break continue static get set #p import("m")'.split(
    ' ',
  );

/** Cells to run; shrinks to short ones. */
export const cell: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(' ')) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...sources), fc.nat(120), fc.constantFrom(...sources), fc.nat(120))
      .map(([first, to, second, from]) => first.slice(0, to) + second.slice(from)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...sources), fc.nat(200), fc.nat(4), fc.constantFrom(...words, ...sources))
      .map(([source, at, length, word]) => source.slice(0, at) + word + source.slice(at + length)),
  },
);

/** Few enough that what they leave in the store stays small. */
const cellsPerWorkspace = 100;

export class CellFuzz {
  #kit: Statek | undefined;
  #workspace: Workspace | undefined;
  #world: World = makeWorld();
  #start = '';
  #run = 0;
  readonly #canaries = canaryState();
  readonly #internals = JSON.stringify(makeWorld().internals());

  /** What is wrong after a cell. */
  async problemsOf(source: string): Promise<string[]> {
    const workspace = await this.#next();
    let status: string;
    try {
      ({ status } = await workspace.run(source));
    } catch (error) {
      await this.close();
      return [`The step was not answered: ${String(error)}`];
    }
    const problems = changedCanaries(this.#canaries).map((name) => `${name} of the host changed.`);
    if (JSON.stringify(this.#world.internals()) !== this.#internals) problems.push('Something hidden changed.');
    // A cell that waits would only let the next ones queue.
    if (status === 'suspended' || status === 'queued') await workspace.rollback(this.#start);
    if (this.#run % cellsPerWorkspace === 0) problems.push(...(await this.#goBack(workspace)));
    if (problems.length > 0) await this.close();
    return problems;
  }

  async close(): Promise<void> {
    await this.#kit?.close();
    this.#kit = undefined;
    this.#workspace = undefined;
  }

  async #next(): Promise<Workspace> {
    this.#run++;
    if (this.#workspace !== undefined) return this.#workspace;
    this.#kit = await openHostileKit();
    this.#world = makeWorld();
    this.#workspace = await this.#kit.workspace('cells', {
      vars: this.#world.variables,
      limits: { ...hostileLimits, softCpuMilliseconds: 40, hardCpuMilliseconds: 80 },
    });
    this.#start = (await this.#workspace.run('var committed = 41; committed')).commit ?? '';
    return this.#workspace;
  }

  /** However a program spoilt itself, the one before all this is there. */
  async #goBack(workspace: Workspace): Promise<string[]> {
    await workspace.rollback(this.#start);
    const { value } = await workspace.run('committed');
    await this.close();
    return value === 41 ? [] : [`The committed state is gone: ${String(value)}.`];
  }
}
