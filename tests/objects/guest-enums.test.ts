// Members of enumerations in the hands of a program: values that can be kept, compared and assigned back, in both languages.
import { describe, expect, it } from 'vitest';
import { Durable, durableEnum, expose, type EnumMember } from '../../src/index.ts';
import { openKit, storeFolder, valueOf } from '../workspace/support/kits.ts';

const Status = durableEnum('Status', ['OPEN', 'DONE']);
const Color = durableEnum('Color', ['RED', 'BLUE']);

class Task extends Durable {
  static readonly durable = { name: 'Task' };
  title = 'report';
  status = Status.OPEN;
  settings = { color: Color.RED };
  history = [Status.OPEN];
}

class Review extends Durable {
  static durable = { nullable: ['outcome'], defaults: { mood: null } };
  verdict: EnumMember | null = null;
  outcome: EnumMember | null = Status.OPEN;
  mood: EnumMember | null = Color.RED;
  strict = Status.OPEN;
  settings = { color: Color.RED };
}

class LateReview extends Review {}

class Ordinary {
  state: EnumMember | null = null;
  other: EnumMember | null = Status.OPEN;
}

const plain = (): { state: unknown } => expose({ state: Status.OPEN });

const code = {
  typescript: {
    keep: 'var before = task.status; var all = [Status.OPEN, Status.DONE]; var byName = { open: Status.OPEN }; 0',
    compare:
      '[before === Status.OPEN, before === task.status, before === Status.DONE, all[0] === before, byName.open === before, before === Color.RED, before.name, before.ordinal]',
    map: 'const counts = new Map([[Status.OPEN, 1]]); counts.get(task.status)',
    assign:
      'task.status = Status.DONE; task.settings.color = Color.BLUE; task.history.push(all[1]); object.state = all[1]; [task.status === all[1], object.state === Status.DONE]',
    nested: 'var saved = task.settings.color; saved === Color.BLUE',
    value: 'task.status',
    wait: 'var held = task.status; await signal("go"); held === task.status && held === Status.DONE',
    print: 'print(task.status)',
    set: (target: string, value: string): string => `${target} = ${value}`,
    null: 'null',
  },
  python: {
    keep: 'before = task.status\nall_of = [Status["OPEN"], Status["DONE"]]\nby_name = {"open": Status["OPEN"]}\n0',
    compare:
      '[before == Status["OPEN"], before == task.status, before == Status["DONE"], all_of[0] == before, by_name["open"] == before, before == Color["RED"], before.name, before.ordinal]',
    map: '{Status["OPEN"]: 1}[task.status]',
    assign:
      'task.status = Status["DONE"]\ntask.settings["color"] = Color["BLUE"]\ntask.history.append(all_of[1])\nobject_.state = all_of[1]\n[task.status == all_of[1], object_.state == Status["DONE"]]',
    nested: 'saved = task.settings["color"]\nsaved == Color["BLUE"]',
    value: 'task.status',
    wait: 'held = task.status\nsignal("go")\nheld == task.status and held == Status["DONE"]',
    print: 'print(task.status)',
    set: (target: string, value: string): string => `${target} = ${value}`,
    null: 'None',
  },
};

describe.each(['typescript', 'python'] as const)('a member of an enumeration, in %s', (language) => {
  const its = code[language];
  const isPython = language === 'python';

  it('is a value that can be kept, compared, assigned and waited with, also after a restart', async () => {
    const folder = storeFolder();
    const kit = await openKit({ store: folder, classes: [Task] });
    const object = plain();
    const task = await kit.transaction(() => new Task());
    const vars = { task, Status, Color, [isPython ? 'object_' : 'object']: object };
    const workspace = await kit.workspace('main', { language, vars });
    expect((await workspace.run(its.keep)).error).toBeUndefined();
    expect(await valueOf(workspace, its.compare)).toEqual([...[true, true, false, true, true, false], ...['OPEN', 0]]);
    expect(await valueOf(workspace, its.map)).toBe(1);
    expect(await valueOf(workspace, its.assign)).toEqual([true, true]);
    expect([task.status, task.settings.color, object.state]).toEqual([Status.DONE, Color.BLUE, Status.DONE]);
    expect([...task.history]).toEqual([Status.OPEN, Status.DONE]);
    expect(await valueOf(workspace, its.nested)).toBe(true);
    expect(await valueOf(workspace, its.value)).toBe(Status.DONE);
    expect((await workspace.run(its.print)).console).toEqual([expect.stringMatching(/^Status.*DONE/)]);
    expect((await workspace.run(its.wait)).status).toBe('suspended');
    await kit.close();

    const later = await openKit({ store: folder, classes: [Task] });
    const again = await later.workspace('main', { vars: { [isPython ? 'object_' : 'object']: object } });
    await later.signal('go');
    expect(await again.settled()).toMatchObject({ status: 'done', value: true });
    expect(await valueOf(again, its.compare)).toEqual([...[true, false, false, true, true, false], ...['OPEN', 0]]);
    expect(await again.local('held')).toBe(Status.DONE);
  });

  it('is the only thing a field of its enumeration takes', async () => {
    const kit = await openKit({ classes: [Task] });
    const object = plain();
    const task = await kit.transaction(() => new Task());
    const name = isPython ? 'object_' : 'object';
    const workspace = await kit.workspace('main', { language, vars: { task, Status, Color, [name]: object } });
    const color = isPython ? 'task.settings["color"]' : 'task.settings.color';
    const red = isPython ? 'Color["RED"]' : 'Color.RED';
    for (const [target, enumeration, values] of [
      ['task.status', 'Status', ['"DONE"', '1', its.null, red, '{}', '[]']],
      [`${name}.state`, 'Status', ['"DONE"', '"OPEN"', red]],
      [color, 'Color', ['"BLUE"', its.null]],
    ] as const)
      for (const value of values) {
        const step = await workspace.run(its.set(target, value));
        expect(step.error).toMatchObject({ name: 'TypeError' });
        expect(step.error?.message).toContain(`takes a member of ${enumeration} (`);
      }
    expect([task.status, task.settings.color, object.state]).toEqual([Status.OPEN, Color.RED, Status.OPEN]);
    // Other fields take what they took.
    expect((await workspace.run(its.set('task.title', '"DONE"'))).error).toBeUndefined();
    expect(task.title).toBe('DONE');
  });

  it('can be taken out of a field that says that it may be null', async () => {
    const ordinary = new Ordinary();
    const named = expose<{ state: EnumMember | null }>({ state: Status.OPEN }, { nullable: ['state'] });
    const kit = await openKit({ classes: [Review, LateReview], services: { ordinary, named } });
    const [review, late] = await kit.transaction(() => [new Review(), new LateReview()] as const);
    const vars = { review, late, ordinary, named, Status, Color };
    const workspace = await kit.workspace('main', { language, vars });
    const open = isPython ? 'Status["OPEN"]' : 'Status.OPEN';
    for (const target of ['review.verdict', 'review.outcome', 'review.mood', 'late.verdict', 'late.outcome']) {
      for (const value of target.endsWith('mood') ? [its.null, its.null] : [open, its.null, its.null, open, its.null])
        expect((await workspace.run(its.set(target, value))).error).toBeUndefined();
    }
    for (const target of ['ordinary.state', 'named.state'])
      for (const value of [open, its.null, open, its.null])
        expect((await workspace.run(its.set(target, value))).error).toBeUndefined();
    expect([review.verdict, review.outcome, review.mood, late.verdict, late.outcome]).toEqual(Array(5).fill(null));
    expect([ordinary.state, named.state]).toEqual([null, null]);
    const refused = await workspace.run(its.set('late.strict', its.null));
    expect(refused.error?.message).toContain("static durable = { nullable: ['strict'] }");
    expect((await workspace.run(its.set('ordinary.other', its.null))).error?.message).toContain(
      "expose(…, { nullable: ['other'] })",
    );
    const inside = isPython ? 'review.settings["color"]' : 'review.settings.color';
    expect((await workspace.run(its.set(inside, its.null))).error?.message).toContain('Delete it');
    expect((await workspace.run(`${isPython ? 'del' : 'delete'} ${inside}`)).error).toBeUndefined();
    expect(Object.keys(review.settings)).toEqual([]);
    expect((await workspace.run(its.set('review.verdict', open))).error).toBeUndefined();
    expect((await workspace.run(its.set('review.verdict', '"OPEN"'))).error?.name).toBe('TypeError');
  });
});
