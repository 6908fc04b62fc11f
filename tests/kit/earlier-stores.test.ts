// Stores that earlier versions wrote: everything in them can be looked at, and every program goes on from where it waits, to
// the end it would have come to then.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { putBootsBack } from '../fixtures/stores/put-boots-back.ts';
import { openCast } from '../fixtures/stores/cast.ts';
import { madeAt } from '../fixtures/stores/furnish.ts';
import { goOn } from '../fixtures/stores/go-on.ts';
import { observe, type Observed } from '../fixtures/stores/observe.ts';

const folder = new URL('../fixtures/stores/', import.meta.url);
const versions = readdirSync(folder)
  .filter((name) => name.endsWith('.db.br'))
  .map((name) => name.slice(0, -'.db.br'.length));

/** A copy of a fixture. */
async function copyOf(version: string): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'statek-earlier-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const file = join(place, 'store.db');
  writeFileSync(file, brotliDecompressSync(readFileSync(new URL(`${version}.db.br`, folder))));
  const store = await openStore(file);
  await putBootsBack(store);
  await store.close();
  return file;
}

function expected(version: string): { readonly before: Observed; readonly after: Observed } {
  return JSON.parse(readFileSync(new URL(`${version}.json`, folder), 'utf8')) as ReturnType<typeof expected>;
}

describe.each(versions)('a store of version %s', (version) => {
  it('shows what is in it, and goes on to the same end', async () => {
    const { before, after } = expected(version);
    const clock = new ManualClock(madeAt);
    const file = await copyOf(version);
    const kit = await openCast(file, { clock });
    onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
    expect(await observe(kit, { commits: true })).toEqual(before);
    await goOn(kit, clock);
    expect(await observe(kit, { commits: false })).toEqual(after);
    expect((await kit.store.verify()).problems).toEqual([]);
  });
});
