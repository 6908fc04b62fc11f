// Durable objects in Python: an exposed class makes them, `isinstance` knows them, their fields are live, and what a step did to
// them stands or falls with it.
import { expect, it } from 'vitest';
import { Durable } from '../../src/index.ts';
import { openKit } from '../workspace/support/kits.ts';

class Meeting extends Durable {
  static readonly durable = { name: 'Meeting' };
  title: string;
  attendees: string[] = [];
  settings: Record<string, unknown> = { colour: 'blue' };

  constructor(title: string, options: { attendees?: string[] } = {}) {
    super();
    this.title = title;
    this.attendees = options.attendees ?? [];
  }

  rename(title: string): string {
    this.title = title;
    return this.title;
  }
}

class Room extends Durable {
  static readonly durable = { name: 'Room' };
  name = 'Blue';
}

it('makes, reads and changes durable objects', async () => {
  const kit = await openKit({ classes: [Meeting, Room] });
  const workspace = await kit.workspace('main', {
    language: 'python',
    vars: { Meeting, Room },
    limits: { softCpuMilliseconds: 200 },
  });
  const made = await workspace.run(
    'm = Meeting("Planning", attendees=["Ada"])\nm.attendees.append("Grace")\nm.rename("Review")\nm.settings["size"] = 3\nm.due_date = "mon"\n[m.title, list(m.attendees), m.settings["colour"], dict(m.settings), m.due_date]',
  );
  expect(made.error).toBeUndefined();
  expect(made.value).toEqual(['Review', ['Ada', 'Grace'], 'blue', { colour: 'blue', size: 3 }, 'mon']);

  const kinds = await workspace.run(
    '[isinstance(m, Meeting), isinstance(m, Room), isinstance(5, Meeting), type(m).__name__]',
  );
  expect(kinds.value).toEqual([true, false, false, 'Meeting']);

  const shown = await workspace.run('print(m)\nprint(Meeting)');
  expect(shown.console[0]).toContain("title='Review'");

  const failed = await workspace.run('m.title = "lost"\nwhile True: pass');
  expect(failed.error?.code).toBe('LIMIT');
  expect((await workspace.run('m.title')).value).toBe('Review');
});
