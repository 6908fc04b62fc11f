// Durable objects in the hands of a program: what is undone with what, what the past shows, what forks and rollbacks leave
// alone, and what a class withholds.
import { describe, expect, test } from 'vitest';
import { Durable, remove, type Statek, type Workspace } from '../../src/index.ts';
import { errorOf, openKit, valueOf } from '../workspace/support/kits.ts';

class Meeting extends Durable {
  title: string;
  start = 9;
  guests: string[] = [];

  constructor(title: string) {
    super();
    if (title === '') throw new TypeError('A meeting needs a title.');
    this.title = title;
  }

  moveTo(start: number): void {
    this.start = start;
    this.guests.push('changed');
    if (start > 24) throw new RangeError('A day has 24 hours.');
  }

  /** Lets the guest look on in the middle. */
  moveAfter(look: () => number): void {
    this.start = look();
    throw new Error('no');
  }
}

class Review extends Meeting {}

class Employee extends Durable {
  static durable = {
    hidden: ['password', 'reset'],
    readonly: ['id'],
    acl: ['+ *', '- salary: Clerk', '- raise: Clerk', '- hire: Clerk', '- secret*'],
  };
  id = 7;
  name = 'Ann';
  salary = 100;
  password = 'xyz';
  secretNote = 'x';
  _internal = 1;

  raise(by: number): number {
    return (this.salary += by);
  }

  static hire(name: string): Employee {
    return Object.assign(new this(), { name });
  }

  static secretCount(): number {
    return 1;
  }

  static reset(): number {
    return 1;
  }
}

const classes = [Meeting, Review, Employee];

async function withMeeting(): Promise<{ kit: Statek; meeting: Meeting; workspace: Workspace }> {
  const kit = await openKit({ classes });
  const meeting = await kit.transaction(() => new Meeting('Planning'));
  const workspace = await kit.workspace('main', { vars: { meeting, Meeting, Review } });
  return { kit, meeting, workspace };
}

describe('what a program changes', () => {
  test('is undone as far as a method did it that threw, and stands otherwise', async () => {
    const { workspace, meeting } = await withMeeting();
    const value = await valueOf(
      workspace,
      `meeting.title = 'Weekly';
       let caught = '';
       try { meeting.moveTo(30); } catch (error) { caught = error.name; }
       meeting.guests.push('ann');
       [caught, meeting.start, meeting.guests.length]`,
    );
    expect(value).toEqual(['RangeError', 9, 1]);
    expect([meeting.title, meeting.start, [...meeting.guests]]).toEqual(['Weekly', 9, ['ann']]);
  });

  test('is undone with the method that called back into the program', async () => {
    const { workspace, meeting } = await withMeeting();
    const value = await valueOf(
      workspace,
      `let seen = 0;
       try { meeting.moveAfter(() => { meeting.title = 'inside'; seen = meeting.start; return 15; }); } catch {}
       [seen, meeting.start, meeting.title]`,
    );
    expect(value).toEqual([9, 9, 'Planning']);
    expect(meeting.title).toBe('Planning');
  });

  test('stands up to where the program itself threw', async () => {
    const { workspace, meeting } = await withMeeting();
    const error = await errorOf(workspace, `meeting.start = 10; let after = 1; throw new Error('no');`);
    expect(error.message).toBe('no');
    expect([meeting.start, (await workspace.locals())['after']]).toEqual([10, 1]);
  });

  test('is undone with a step that is all or nothing', async () => {
    const { workspace, meeting, kit } = await withMeeting();
    await workspace.run('let count = 0;');
    const step = await workspace.run(
      `count = 1; meeting.start = 10; meeting.guests.push('bob'); const made = new Meeting('New'); throw new Error('no');`,
      { allOrNothing: true },
    );
    expect(step.status).toBe('failed');
    expect([meeting.start, meeting.guests.length, (await workspace.locals())['count']]).toEqual([9, 0, 0]);
    expect(await kit.transaction(() => kit.find(Meeting).count())).toBe(1);
  });

  test('is undone with such a step only as far as nobody can have seen it', async () => {
    const { workspace, meeting, kit } = await withMeeting();
    await workspace.run('let count = 0;');
    await workspace.run(
      `count = 1; meeting.start = 10; await signal('go'); meeting.start = 11; throw new Error('no');`,
      {
        allOrNothing: true,
      },
    );
    await kit.signal('go');
    expect((await workspace.settled()).status).toBe('failed');
    expect([meeting.start, (await workspace.locals())['count']]).toEqual([10, 0]);
  });

  test('is undone with a slice that meets a limit or keeps what cannot be kept', async () => {
    const { kit, meeting } = await withMeeting();
    const shelf = { cursor: () => () => 1 };
    const workspace = await kit.workspace('limited', {
      vars: { meeting, shelf },
      limits: { softCpuMilliseconds: 200 },
    });
    expect((await errorOf(workspace, 'meeting.start = 10; for (;;);')).code).toBe('LIMIT');
    expect((await errorOf(workspace, 'meeting.start = 11; const kept = shelf.cursor();')).code).toBe('NOT_DURABLE');
    expect((await errorOf(workspace, 'meeting.start = 12; await new Promise(() => {})')).code).toBe('DEADLOCK');
    expect(meeting.start).toBe(9);
    expect(await valueOf(workspace, 'meeting.start = 13; meeting.start')).toBe(13);
  });

  test('is seen by the application at once, and the other way round', async () => {
    const { workspace, meeting, kit } = await withMeeting();
    await workspace.run('meeting.room = { floor: 2, tags: new Set(["blue"]) }; const held = meeting.guests;');
    expect(meeting).toHaveProperty('room.floor', 2);
    await kit.transaction(() => meeting.guests.push('ann', 'bob'));
    expect(
      await valueOf(workspace, '[held.length, held[1], held === meeting.guests, meeting.room.tags.has("blue")]'),
    ).toEqual([2, 'bob', true, true]);
  });
});

test('an object given later becomes a variable, once', async () => {
  const { workspace, kit, meeting } = await withMeeting();
  const other = await kit.transaction(() => new Meeting('Other'));
  const vars = { meeting, other, meetings: kit.find(Meeting), Employee };
  await kit.workspace('main', { vars });
  expect(await valueOf(workspace, '[other.title, meetings.count(), typeof Employee]')).toEqual([
    'Other',
    2,
    'function',
  ]);
  await workspace.run('other = meeting;');
  const commits = (await workspace.commits()).length;
  await kit.workspace('main', { vars });
  expect(await valueOf(workspace, 'other.title')).toBe('Planning');
  expect((await workspace.commits()).length).toBe(commits + 1);
});

describe('time', () => {
  test('shows objects as they were at a commit', async () => {
    const { workspace, kit, meeting } = await withMeeting();
    const before = await workspace.run('let count = 1;');
    await workspace.run('meeting.start = 10; meeting.guests.push("ann"); count = 2;');
    await kit.transaction(() => (meeting.start = 11));
    const past = await workspace.at(before.commit ?? '');
    expect(await past.run('[count, meeting.start, meeting.guests.length]')).toEqual([1, 9, 0]);
    await expect(past.run('meeting.start = 12')).rejects.toThrow(/past cannot be changed/);
    await expect(past.run('meeting.moveTo(12)')).rejects.toThrow(/past cannot be changed/);
    await expect(past.run('new Meeting("x")')).rejects.toThrow(/past cannot be changed/);
    expect(meeting.start).toBe(11);
  });

  test('shared objects: a fork has its own variables and the same objects', async () => {
    const { workspace } = await withMeeting();
    await workspace.run('let count = 1; const held = meeting;');
    const fork = await workspace.fork(undefined, 'other');
    await fork.run('count = 2; held.start = 14; held.guests.push("fork");');
    expect(await valueOf(workspace, '[count, meeting.start, held === meeting, [...held.guests]]')).toEqual([
      1,
      14,
      true,
      ['fork'],
    ]);
  });

  test('a rollback brings variables back and leaves objects alone', async () => {
    const { workspace, meeting } = await withMeeting();
    const before = await workspace.run('let count = 1; let other;');
    await workspace.run('count = 2; meeting.start = 10; other = new Meeting("Later"); meeting.next = other;');
    await workspace.rollback(before.commit ?? '');
    expect(await valueOf(workspace, '[count, other, meeting.start, meeting.next.title]')).toEqual([
      1,
      undefined,
      10,
      'Later',
    ]);
    expect(meeting.start).toBe(10);
  });
});

describe('an object that was removed meanwhile', () => {
  test('gives an error that the program can catch', async () => {
    const { workspace, kit, meeting } = await withMeeting();
    await workspace.run('const held = meeting; const guests = meeting.guests; let caught = "";');
    await kit.transaction(() => remove(meeting));
    const error = await errorOf(workspace, 'held.start');
    expect([error.name, error.code]).toEqual(['ObjectGoneError', 'OBJECT_GONE']);
    expect(error.message).toContain('is gone');
    for (const use of ['held.start', 'held.start = 3', 'held.moveTo(3)', 'held.guests.push("x")', 'Object.keys(held)'])
      expect(
        await valueOf(workspace, `try { ${use}; caught = 'nothing'; } catch (error) { caught = error.code; } caught`),
      ).toBe('OBJECT_GONE');
    // It can still be held, compared, printed and let go of.
    const step = await workspace.run('print(held); print([held]); held === meeting && held instanceof Meeting');
    expect([step.status, step.value, step.console]).toEqual(['done', true, ['[gone: Meeting]', '[[gone: Meeting]]']]);
    expect(Object.keys(await workspace.locals())).toContain('held');
  });
});

describe('a class', () => {
  test('makes objects in the slice, which know what they are', async () => {
    const { workspace, kit } = await withMeeting();
    const made = await valueOf(
      workspace,
      `const review = new Review('Quarter');
       [review instanceof Review, review instanceof Meeting, meeting instanceof Review, review.title, ({}) instanceof Meeting]`,
    );
    expect(made).toEqual([true, true, false, 'Quarter', false]);
    const found = (await valueOf(workspace, 'review')) as Review;
    expect(found).toBeInstanceOf(Review);
    expect(await kit.transaction(() => kit.find(Review).toArray())).toEqual([found]);
    expect(await valueOf(workspace, 'review === review && new Review("b") !== review')).toBe(true);
  });

  test('refuses what its constructor refuses, and to be called or extended', async () => {
    const { workspace, kit } = await withMeeting();
    expect((await errorOf(workspace, "new Meeting('')")).message).toContain('needs a title');
    expect((await errorOf(workspace, "Meeting('x')")).name).toBe('TypeError');
    expect((await errorOf(workspace, "new (class Mine extends Meeting {})('x')")).name).toBe('TypeError');
    expect(await kit.transaction(() => kit.find(Meeting).count())).toBe(1);
    expect(await valueOf(workspace, '[meeting.constructor === Object, Object.keys(Meeting.prototype).length]')).toEqual(
      [true, 0],
    );
  });

  test('withholds members from everybody, or from a role', async () => {
    const kit = await openKit({ classes });
    const employee = await kit.transaction(() => new Employee());
    const boss = await kit.workspace('boss', { vars: { employee } });
    const clerk = await kit.workspace('clerk', { vars: { employee }, role: 'Clerk' });
    const look = '[employee.name, employee.salary, employee.password, employee.secretNote, employee._internal]';
    expect(await valueOf(boss, look)).toEqual(['Ann', 100, undefined, undefined, undefined]);
    expect(await valueOf(clerk, look)).toEqual(['Ann', undefined, undefined, undefined, undefined]);
    expect(await valueOf(boss, 'Object.keys(employee)')).toEqual(['id', 'name', 'salary']);
    expect(await valueOf(clerk, '[Object.keys(employee), "salary" in employee, typeof employee.raise]')).toEqual([
      ['id', 'name'],
      false,
      'undefined',
    ]);
    expect((await errorOf(boss, 'employee.id = 8')).message).toContain('read-only');
    expect((await errorOf(boss, 'delete employee.id')).message).toContain('read-only');
    for (const attempt of ['employee.password = 1', 'employee._internal = 1', 'employee.secretOther = 1'])
      expect((await errorOf(boss, attempt)).name).toBe('TypeError');
    expect((await errorOf(clerk, 'employee.salary = 1000')).name).toBe('TypeError');
    expect((await errorOf(clerk, 'employee.raise(5)')).name).toBe('TypeError');
    expect(await valueOf(boss, 'employee.raise(5)')).toBe(105);
    const printed = await clerk.run('print(employee); print(JSON.stringify(employee))');
    expect(printed.console.join('\n')).not.toMatch(/105|xyz|secret/);
    expect([employee.id, employee.salary, employee.password]).toEqual([7, 105, 'xyz']);
  });

  test('withholds its own methods likewise', async () => {
    const kit = await openKit({ classes });
    const look = '[typeof Employee.hire, typeof Employee.secretCount, typeof Employee.reset]';
    const boss = await kit.workspace('boss', { vars: { Employee } });
    expect(await valueOf(boss, look)).toEqual(['function', 'undefined', 'undefined']);
    const hired = 'const bob = Employee.hire("Bob"); [bob.name, bob instanceof Employee]';
    expect(await valueOf(boss, hired)).toEqual(['Bob', true]);
    const clerk = await kit.workspace('clerk', { vars: { Employee }, role: 'Clerk' });
    expect(await valueOf(clerk, look)).toEqual(['undefined', 'undefined', 'undefined']);
    expect(await valueOf(clerk, 'new Employee() instanceof Employee')).toBe(true);
  });
});
