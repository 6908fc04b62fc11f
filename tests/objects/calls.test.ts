// Transactions inside asynchronous calls: the last one is committed with the outcome, and only it ever runs again.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { Statek } from '../../src/kit/statek.ts';

class Account extends Durable {
  static durable = { singleton: true };
  balance = 100;
  moves: string[] = [];
}

let folder: string;
let kit: Statek;
/** Another process, as far as the first one can tell. */
let other: Statek;
let calls: string[];
let gate: PromiseWithResolvers<void>;
let reached: PromiseWithResolvers<void>;

const bank = {
  /** Changes objects, then takes a while, and says what the balance was afterwards. */
  async withdraw(amount: number): Promise<number> {
    calls.push(`withdraw ${amount}`);
    const left = await kit.transaction(() => take(amount));
    reached.resolve();
    await gate.promise;
    return left;
  },
  async withdrawAndTell(amount: number): Promise<string> {
    calls.push(`tell ${amount}`);
    const left = await kit.transaction(() => take(amount));
    reached.resolve();
    await gate.promise;
    return `${left} left`;
  },
  async withdrawTwice(amount: number): Promise<void> {
    await kit.transaction(() => take(amount));
    await kit.transaction(() => take(amount));
    reached.resolve();
    await gate.promise;
  },
  async withdrawAndFail(amount: number): Promise<void> {
    await kit.transaction(() => take(amount));
    throw new Error('the line is dead');
  },
};

function take(amount: number): number {
  const account = new Account();
  account.balance -= amount;
  account.moves.push(`-${amount}`);
  return account.balance;
}

const balance = (seenBy: Statek): Promise<number> => seenBy.transaction(() => new Account().balance);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'statek-calls-'));
  calls = [];
  gate = Promise.withResolvers();
  reached = Promise.withResolvers();
  kit = await Statek.open({ store: folder, classes: [Account], services: { bank } });
  other = await Statek.open({ store: folder, classes: [Account] });
  await kit.transaction(() => new Account());
});

afterEach(async () => {
  await kit.close();
  await other.close();
  rmSync(folder, { recursive: true });
});

it('commits the last transaction with the outcome, at one revision', async () => {
  const workspace = await kit.workspace('w', { vars: { bank } });
  await workspace.run('const left = await bank.withdraw(30)');
  await reached.promise;
  expect(await balance(other)).toBe(100);
  gate.resolve();
  expect(await workspace.settled()).toMatchObject({ status: 'done' });
  expect(await workspace.locals()).toMatchObject({ left: 70 });
  expect(await balance(other)).toBe(70);
});

it('runs only the transaction again when objects changed meanwhile', async () => {
  const workspace = await kit.workspace('w', { vars: { bank } });
  await workspace.run('const left = await bank.withdraw(30)');
  await reached.promise;
  await other.transaction(() => take(5));
  gate.resolve();
  await workspace.settled();
  expect(calls).toEqual(['withdraw 30']);
  // What the call returned was what its transaction gave, so it is told anew.
  expect(await workspace.locals()).toMatchObject({ left: 65 });
  expect(await balance(other)).toBe(65);
  expect(await kit.transaction(() => [...new Account().moves])).toEqual(['-5', '-30']);
});

it('does not tell a result that is no longer true', async () => {
  const workspace = await kit.workspace('w', { vars: { bank } });
  await workspace.run('const told = await bank.withdrawAndTell(30)');
  await reached.promise;
  await other.transaction(() => take(5));
  gate.resolve();
  const step = await workspace.settled();
  expect(step).toMatchObject({ status: 'failed', error: { code: 'OBJECT_CONFLICT' } });
  expect(calls).toEqual(['tell 30']);
  expect(await balance(kit)).toBe(95);
});

it('commits every transaction but the last one when the next begins', async () => {
  const workspace = await kit.workspace('w', { vars: { bank } });
  await workspace.run('await bank.withdrawTwice(10)');
  await reached.promise;
  expect(await balance(other)).toBe(90);
  gate.resolve();
  await workspace.settled();
  expect(await balance(other)).toBe(80);
});

it('keeps what was done before a call failed', async () => {
  const workspace = await kit.workspace('w', { vars: { bank } });
  await workspace.run('await bank.withdrawAndFail(10)');
  expect(await workspace.settled()).toMatchObject({ status: 'failed', error: { message: 'the line is dead' } });
  expect(await balance(other)).toBe(90);
});
