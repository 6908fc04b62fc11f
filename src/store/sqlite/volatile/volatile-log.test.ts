import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listenerTimeoutMilliseconds, VolatileLog } from './volatile-log.ts';

const hour = 3_600_000;
const now = Date.UTC(2100, 0, 1);

function twoLogs(): { file: string; one: VolatileLog; two: VolatileLog } {
  const folder = mkdtempSync(join(tmpdir(), 'statek-volatile-log-'));
  const file = join(folder, 'log');
  const [one, two] = [new VolatileLog(file), new VolatileLog(file)];
  onTestFinished(() => {
    one.close();
    two.close();
    rmSync(folder, { recursive: true });
  });
  return { file, one, two };
}

it('forgets listeners that have not announced themselves, also after the clock was set back', () => {
  const { one, two } = twoLogs();
  one.announce('one', ['news'], now);
  expect([...two.channelsOfOthers('two', now)]).toEqual(['news']);
  expect([...two.channelsOfOthers('one', now)]).toEqual([]);
  expect([...two.channelsOfOthers('two', now + listenerTimeoutMilliseconds + 1)]).toEqual([]);
  expect([...two.channelsOfOthers('two', now - hour)]).toEqual([]);
  // Whoever announces itself removes the rows of the dead.
  two.announce('two', ['other'], now + hour);
  expect([...two.channelsOfOthers('three', now)]).toEqual([]);
});

it('keeps what was appended until the last listener has left', () => {
  const { one, two } = twoLogs();
  const start = one.announce('one', ['news'], now);
  two.announce('two', ['news'], now);
  two.append('two', 'a');
  one.withdraw('one', 'news');
  expect(one.readAfter(start, 'one').map(({ body }) => body)).toEqual(['a']);
  two.append('two', 'b');
  two.withdraw('two');
  expect(one.readAfter(start, 'one')).toEqual([]);
});

it('keeps a bounded part of what was appended, however much that is', () => {
  const { file, one, two } = twoLogs();
  const start = one.announce('one', ['news'], now);
  const body = 'x'.repeat(1_000_000);
  for (let number = 0; number < 50; number++) two.append('two', `${number} ${body}`);
  const kept = one.readAfter(start, 'one').map(({ body: text }) => Number.parseInt(text, 10));
  expect(kept).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49]);
  expect(statSync(file).size).toBeLessThan(20_000_000);
});
