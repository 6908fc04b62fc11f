// Durable objects that a job was given, was told of or has returned are not collected.
import { expect, it } from 'vitest';
import { program } from '../../src/jobs/driver.ts';
import { Statek } from '../../src/kit/statek.ts';
import { Durable } from '../../src/objects/durable.ts';
import { find } from '../../src/objects/graph.ts';

class Note extends Durable {
  text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
}

it('keeps what jobs hold', async () => {
  const driver = program({ role: 'keeper', source: 'note' });
  const kit = await Statek.open({ store: 'memory:', classes: [Note], drivers: [driver] });
  const job = await kit.submit(driver, {
    vars: { note: new Note("a job's") },
    startAt: new Date(Date.now() + 3_600_000),
  });
  const over = await kit.submit(driver, { vars: { note: new Note('a result') } });
  await kit.transaction(() => new Note("nobody's"));
  expect(((await over.result()) as Note).text).toBe('a result');
  await kit.gc({ graceMilliseconds: 0 });
  expect(
    find(Note)
      .toArray()
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(["a job's", 'a result']);
  await job.cancel();
  await kit.close();
});
