// What the stores of these tests hold: accounts whose sum is always 0, the transfers between them, and ballast that makes moving it
// take a while.
import { randomBytes } from 'node:crypto';
import { bytesCollection, recordCollection, scanAll, type Store } from '../../src/store.ts';

export const accounts = recordCollection<number>('accounts', { keeps: 'versions' });
export const transfers = recordCollection<{ from: number; to: number; amount: number }>('transfers');
export const ballast = bytesCollection('ballast');
export const accountCount = 20;

export async function openBank(store: Store, megabytes: number): Promise<void> {
  await store.declare(accounts, transfers, ballast);
  const numbers = Array.from({ length: accountCount }, (_, number) => number);
  await store.commit([{ writes: numbers.map((number) => put(number, 0)) }]);
  for (let piece = 0; piece < megabytes * 8; piece++)
    await store.commit([
      { writes: [{ kind: 'put', collection: ballast, key: [piece], value: randomBytes(128 * 1024) }] },
    ]);
}

/** One transfer, under a new id. Returns false if another one came first. */
export async function transfer(store: Store, id: string): Promise<boolean> {
  const [from, to, amount] = [...randomBytes(3)] as [number, number, number];
  const places = [from % accountCount, (from + 1 + (to % (accountCount - 1))) % accountCount] as const;
  const [paying, paid] = await store.read(accounts, [[places[0]], [places[1]]]);
  if (paying === undefined || paid === undefined) throw new Error('An account is missing.');
  const [result] = await store.commit([
    {
      checks: [paying, paid].map(({ key, revision }) => ({ kind: 'revision', collection: accounts, key, revision })),
      writes: [
        put(places[0], paying.value - amount),
        put(places[1], paid.value + amount),
        {
          kind: 'put',
          collection: transfers,
          key: [id],
          value: { from: places[0], to: places[1], amount },
        },
      ],
    },
  ]);
  return result?.status === 'committed';
}

/** Every transfer is in both accounts, and in no other way did money move. Returns what is wrong. */
export async function audit(store: Store): Promise<string[]> {
  await store.declare(accounts, transfers, ballast);
  const expected = Array.from({ length: accountCount }, () => 0);
  let count = 0;
  for await (const { value } of scanAll(store, transfers, {})) {
    count++;
    expected[value.from] = (expected[value.from] as number) - value.amount;
    expected[value.to] = (expected[value.to] as number) + value.amount;
  }
  const found: number[] = [];
  for await (const { value } of scanAll(store, accounts, {})) found.push(value);
  const problems = (await store.verify()).problems.map((text) => `damaged: ${text}`);
  if (JSON.stringify(found) !== JSON.stringify(expected))
    problems.push(`after ${count} transfers the accounts are ${found.join()}, not ${expected.join()}`);
  return problems;
}

function put(
  number: number,
  value: number,
): { kind: 'put'; collection: typeof accounts; key: [number]; value: number } {
  return { kind: 'put', collection: accounts, key: [number], value };
}
