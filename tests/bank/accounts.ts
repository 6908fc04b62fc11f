// The bank: durable accounts that programs in many workspaces move money between, and what one of its transfers is called.
import { Durable } from '../../src/objects/durable.ts';

export const accountCount = 20;
export const firstBalance = 1000;
export const total = accountCount * firstBalance;

export class Account extends Durable {
  number: number;
  balance = firstBalance;
  /** Taken from the balance for transfers that have begun and wait. */
  reserved = 0;
  sent: string[] = [];
  received: string[] = [];

  constructor(number: number) {
    super();
    this.number = number;
  }

  withdraw(amount: number): void {
    if (this.balance < amount) throw new RangeError(`Account ${this.number} has only ${this.balance}.`);
    this.balance -= amount;
  }
}

export class Bank extends Durable {
  static durable = { singleton: true };
  accounts: Account[] = [];

  transfer(from: Account, to: Account, amount: number, id: string): void {
    from.withdraw(amount);
    from.sent.push(id);
    to.balance += amount;
    to.received.push(id);
  }

  /** Breaks off in the middle; what it did until then must not stand. */
  transferHalf(from: Account, to: Account, amount: number, id: string): never {
    from.withdraw(amount);
    from.sent.push(id);
    to.received.push(id);
    throw new Error('The line went dead.');
  }

  total(): number {
    return this.accounts.reduce((sum, { balance, reserved }) => sum + balance + reserved, 0);
  }
}

export const bankClasses = [Account, Bank] as const;

/** What a transfer's id tells: who moved how much from where to where. */
export interface Transfer {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

export function transferOf(id: string): Transfer {
  const [, from, to, amount] = /^.+ (\d+)>(\d+) (\d+)$/.exec(id) ?? [];
  if (amount === undefined) throw new Error(`'${id}' is not the id of a transfer.`);
  return { id, from: Number(from), to: Number(to), amount: Number(amount) };
}
