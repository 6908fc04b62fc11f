// Commits are compared with the durable objects as they were then.
import { expect, it } from 'vitest';
import { Durable } from '../../src/index.ts';
import { openKit } from '../workspace/support/kits.ts';

class Meeting extends Durable {
  static readonly durable = { name: 'Meeting' };
  title = '';
  days: string[] = [];
}

it('differs when only durable objects changed', async () => {
  const kit = await openKit({ classes: [Meeting] });
  const meeting = await kit.transaction(() => Object.assign(new Meeting(), { title: 'Planning', days: ['Monday'] }));
  const workspace = await kit.workspace('main', { vars: { meeting } });
  const one = await workspace.run('meeting.title = "Review"; const n = 1;');
  const two = await workspace.run('meeting.days.push("Friday");');
  const three = await workspace.run('n;');
  const names = async (from = '', to = ''): Promise<unknown> =>
    (await workspace.diff(from, to)).map(({ name, change }) => [name, change]);
  expect(await names(one.commit, two.commit)).toEqual([['meeting', 'changed']]);
  expect(await names(two.commit, three.commit)).toEqual([]);
  const [{ before, after } = {}] = await workspace.diff(one.commit ?? '', two.commit ?? '');
  expect(before).not.toContain('Friday');
  expect(after).toContain('Friday');
});
