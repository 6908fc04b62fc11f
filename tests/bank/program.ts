// What every workspace of the bank runs. A transfer may wait in its middle, break off in the application or in the
// program's own code, and is done when its id is in two lists of the accounts, in a variable and on the console.
import { accountCount, total } from './accounts.ts';

/** The first step: variables and functions. `work(upTo)` does transfers until so many numbers are used up. */
export function program(workspace: string, seed: number): string {
  return `
    let next = 1;
    const done: string[] = [];
    const brokenOff: string[] = [];
    const wrong: string[] = [];
    /** What is reserved for the transfer under way. */
    let held: { from: unknown; amount: number } | undefined;
    let resumed = 0;
    let seed = ${seed};
    function draw(below: number): number {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor(seed / 65536) % below;
    }
    function finish(id: string): void {
      done.push(id);
      print(id);
    }
    function record(from, to, id: string): void {
      from.sent.push(id);
      to.received.push(id);
      finish(id);
    }
    function reserve(from, amount: number): void {
      from.withdraw(amount);
      from.reserved += amount;
      held = { from, amount };
    }
    function unreserve(): number {
      const { from, amount } = held;
      from.reserved -= amount;
      held = undefined;
      return amount;
    }
    function take(from, to, amount: number, id: string): void {
      to.balance += unreserve();
      record(from, to, id);
    }
    const kinds = {
      direct(from, to, amount, id) {
        if (from.balance < amount) return;
        from.balance -= amount;
        to.balance += amount;
        record(from, to, id);
      },
      host(from, to, amount, id) {
        bank.transfer(from, to, amount, id);
        finish(id);
      },
      hostAfterBreak(from, to, amount, id) {
        try {
          bank.transferHalf(from, to, amount, id);
        } catch (error) {
          brokenOff.push(id);
        }
        bank.transfer(from, to, amount, id);
        finish(id);
      },
      async slept(from, to, amount, id) {
        reserve(from, amount);
        await sleep(draw(20));
        take(from, to, amount, id);
      },
      async signalled(from, to, amount, id) {
        reserve(from, amount);
        const answer = await signal('go ' + id);
        if (answer !== id) wrong.push('the signal of ' + id + ' said ' + answer);
        take(from, to, amount, id);
      },
      async givenBack(from, to, amount, id) {
        reserve(from, amount);
        try {
          await sleep(draw(10));
          unreserve();
          throw new Error('Changed my mind.');
        } catch (error) {
          from.balance += amount;
          brokenOff.push(id);
        }
        await sleep(draw(3));
      },
      audit() {
        let sum = 0;
        for (const account of bank.accounts) sum += account.balance + account.reserved;
        if (sum !== ${total} || bank.total() !== sum) wrong.push('an audit found ' + sum);
      },
    };
    const mix = ['direct', 'host', 'hostAfterBreak', 'slept', 'slept', 'signalled', 'givenBack', 'direct', 'slept', 'host'];
    async function work(upTo: number): Promise<[number, number]> {
      if (held !== undefined) {
        // The step before was given up in the middle of a transfer, because others were always faster.
        const { from } = held;
        from.balance += unreserve();
        resumed++;
      }
      while (next <= upTo) {
        const [first, step] = [draw(${accountCount}), 1 + draw(${accountCount - 1})];
        const [from, to] = [bank.accounts[first], bank.accounts[(first + step) % ${accountCount}]];
        const amount = 1 + draw(60);
        const id = ${JSON.stringify(workspace)} + '-' + next + ' ' + from.number + '>' + to.number + ' ' + amount;
        const kind = draw(40) === 0 ? 'audit' : mix[draw(mix.length)];
        try {
          await kinds[kind](from, to, amount, id);
        } catch (error) {
          if (error.name !== 'RangeError') throw error;
        }
        next++;
        if (draw(3) === 0) await sleep(draw(5));
      }
      return [next, done.length];
    }
    next`;
}

/** A step that takes money out of one account and breaks off before it is in another; run all or nothing, it never was. */
export const brokenStep = `{
  const from = bank.accounts[draw(${accountCount})];
  from.balance -= 7;
  from.sent.push('never');
  next += 1000;
  throw new Error('Broken off midway.');
}`;
