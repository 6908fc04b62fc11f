// Processes that change a graph are killed at random moments: each time it is what it was after some transaction, with
// everything that was acknowledged and at most one more. STATEK_ROUNDS=100 makes it longer; STATEK_SEED repeats one.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Objects } from '../../src/objects/objects.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { openStore } from '../../src/store/open.ts';
import { Random } from '../crash/random.ts';
import { applyNumbered, describeGraph, graphClasses, Root } from './support/graph-model.ts';
import { openObjects, storeFolder } from './support/open.ts';

const seed = Number(process.env['STATEK_SEED'] ?? randomInt(2 ** 30));
const rounds = Number(process.env['STATEK_ROUNDS'] ?? 3);
const program = fileURLToPath(new URL('./crash-child.ts', import.meta.url));

/** Kills the child a moment after some acknowledgements; answers the last number it has acknowledged. */
async function runAndKill(folder: string, first: number, random: Random): Promise<number> {
  const given = [program, folder, String(seed), String(first)];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const closed = once(child, 'close');
  let last = first - 1;
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => (last = line === 'ready' ? last : Number(line)));
  for (let lines = random.between(1, 25); lines > 0; lines--) await Promise.race([once(reader, 'line'), closed]);
  // The very moment is a matter of time and of no event.
  await Promise.race([setTimeout(random.fraction() ** 2 * 20), closed]);
  child.kill('SIGKILL');
  await closed;
  expect(complaints.replaceAll(/.*ExperimentalWarning.*\n.*\n/g, '')).toBe('');
  return last;
}

/** What the graph is after each transaction: the same changes, in memory and in peace. */
class Expected {
  readonly #objects: Objects;
  readonly #texts = new Map<number, string>();
  #applied = 0;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  async after(number: number): Promise<string> {
    const objects = this.#objects;
    while (this.#applied < number) {
      const next = ++this.#applied;
      await transact(objects, () => applyNumbered(new Root(), seed, next)).catch((error: unknown) => {
        if (!(error instanceof RangeError)) throw error;
      });
    }
    const text = this.#texts.get(number) ?? (await transact(objects, describe));
    this.#texts.set(number, text);
    return text;
  }
}

const describe = (): string => `${new Root().applied} ${describeGraph(new Root())}`;

test(`a killed process leaves what it acknowledged, seed ${seed}`, { timeout: 3_600_000 }, async () => {
  const random = new Random(seed);
  const folder = storeFolder();
  const expected = new Expected(await openObjects(graphClasses));
  let [acknowledged, done] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const last = await runAndKill(folder, done + 1, random);
    acknowledged += last - done;
    const store = await openStore(folder, { sqlite: { durability: 'relaxed' } });
    const objects = await Objects.open(store, { classes: graphClasses });
    const found = await transact(objects, describe);
    const [kept, oneMore] = [await expected.after(last), await expected.after(last + 1)];
    expect([kept, oneMore]).toContain(found);
    done = found === kept ? last : last + 1;
    objects.close();
    await store.close();
  }
  expect(acknowledged).toBeGreaterThan(0);
});
