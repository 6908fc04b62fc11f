// Collecting under kill -9, with others committing meanwhile: whatever is kept can be rebuilt, and goes on.
import { spawn } from 'node:child_process';
import { hash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { chains } from '../../src/history/collections.ts';
import type { History } from '../../src/history/history.ts';
import { openHistory } from '../../src/history/open.ts';
import { openStore } from '../../src/store/open.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import type { Store } from '../../src/store/store.ts';
import { Random } from '../crash/random.ts';

const rounds = 6;
const seed = Number(process.env['STATEK_SEED'] ?? randomInt(2 ** 31 - 100));
const folder = mkdtempSync(join(tmpdir(), 'statek-collecting-'));
const program = fileURLToPath(new URL('./collecting-child.ts', import.meta.url));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Kills the child some time after it has acknowledged so many commits. Answers everything it acknowledged. */
async function runAndKill(childSeed: number, commits: number, milliseconds: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, folder, String(childSeed)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const closed = once(child, 'close');
  const lines: string[] = [];
  const enough = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (lines.filter((one) => one.startsWith('commit ')).length === commits) resolve();
    });
  });
  await Promise.race([enough, closed]);
  // The moment of a kill is a matter of time and of no event.
  await Promise.race([setTimeout(milliseconds), closed]);
  child.kill('SIGKILL');
  await closed;
  expect(complaints.replaceAll(/.*ExperimentalWarning.*\n.*\n/g, '')).toBe('');
  return lines;
}

/** Every commit of every chain has the image its metadata tells of. Answers the names of all chains. */
async function verify(store: Store, history: History): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { key, value } of scanAll(store, chains, {})) if (!value.removed) names.add(key[0] as string);
  for (const name of names) {
    const { commits } = await history.list(name, { limit: 1000 });
    expect(commits.length).toBeGreaterThan(0);
    for (const commit of commits.filter(({ chain }) => chain === name)) {
      const { image } = await history.checkout(name, commit.hash);
      const found = hash('sha256', Buffer.concat([image.bytes, image.header]), 'hex');
      expect(commit.metadata, `${name} ${commit.sequence}`).toEqual({ fingerprint: found });
    }
    for (const tag of await history.tags(name)) await history.find(name, tag.hash);
  }
  return names;
}

test(`everything kept can be rebuilt after each of ${rounds} kills, seed ${seed}`, { timeout: 180_000 }, async () => {
  const random = new Random(seed);
  let acknowledged = 0;
  for (let round = 0; round < rounds; round++) {
    const lines = await runAndKill(seed + round, 2 + random.between(0, 20), random.fraction() ** 2 * 400);
    const store = await openStore(folder, { sqlite: { durability: 'relaxed' } });
    const history = await openHistory(store);
    const names = await verify(store, history);
    const last = new Map<string, string>();
    const tagged: [string, string][] = [];
    for (const line of lines) {
      const [kind, chain = '', name = ''] = line.split(' ');
      if (kind === 'commit') last.set(chain, name);
      if (kind === 'tag') tagged.push([chain, name]);
      acknowledged += kind === 'commit' ? 1 : 0;
    }
    for (const [chain, name] of tagged) {
      expect((await history.tags(chain)).map((tag) => tag.name)).toContain(name);
    }
    for (const [chain, name] of last) {
      expect(names).toContain(chain);
      expect((await history.list(chain, { limit: 3 })).commits.map((commit) => commit.hash)).toContain(name);
    }
    if (round % 3 === 2) {
      // What was left half-done is finished, and nothing that is needed goes with it.
      await history.gc({ retention: { last: 5 } });
      await verify(store, history);
      for (const chain of names) if (random.chance(0.8)) await history.remove(chain);
      await history.gc();
      await verify(store, history);
    }
    await store.close();
  }
  expect(acknowledged).toBeGreaterThan(rounds);
});
