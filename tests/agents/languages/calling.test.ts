// Calls of methods and constructors, and what comes back, in each language with the same outcome.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Durable, tool } from '../../../src/index.ts';
import { Cast, shown, type Language } from './cast.ts';

class Calendar {
  readonly #busy = ['monday'];
  findEmptySlot(after: string, duration: number, { zone = 'UTC', strict = false } = {}): unknown {
    return [after, duration, zone, strict, this.#busy.length];
  }
  async book(dayName: string, hours = 1): Promise<unknown> {
    return { dayName, hours, notes: { firstLine: 'ok' } };
  }
}

class Meeting extends Durable {
  static durable = { name: 'Meeting' };
  title: string;
  hours: number;
  constructor(title: string, hours = 1) {
    super();
    this.title = title;
    this.hours = hours;
  }
  rename(title: string): void {
    this.title = title;
  }
  describe(): string {
    return `${this.title} (${this.hours})`;
  }
}

class Room {
  readonly name: string;
  readonly seats = 4;
  _secret = 1;
  constructor(name: string) {
    this.name = name;
  }
  get label(): string {
    return `${this.name}!`;
  }
}

/**
 * STATEK-ACL: + *
 * - salary
 */
class Employee {
  name = 'Ann';
  salary = 100;
}

describe.each<Language>(['typescript', 'python'])(
  '%s',
  (language) => {
    const calendar = new Calendar();
    const cast = new Cast(language, () => ({ services: { calendar }, classes: [Meeting] }));
    const { code, pick } = cast.words();

    const calling = cast.agent([
      code(
        `print(calendar.findEmptySlot("now", 30), calendar.findEmptySlot("now", 30, { zone: "CET" }))
exit([await calendar.book("friday", 2)])`,
        `print(calendar.find_empty_slot(after="now", duration=30), calendar.find_empty_slot("now", duration=30, zone="CET"))
exit([calendar.book(hours=2, day_name="friday")])`,
      ),
    ]);
    it('calls methods of objects with names for parameters', async () => {
      const job = await cast.play(calling, { vars: { calendar } });
      const written = pick(
        "['now', 30, 'UTC', false, 1] ['now', 30, 'CET', false, 1]",
        "['now', 30, 'UTC', False, 1] ['now', 30, 'CET', False, 1]",
      );
      expect(await job.console()).toEqual([written]);
      expect(await job.result()).toEqual([{ dayName: 'friday', hours: 2, notes: { firstLine: 'ok' } }]);
    });

    const wrong = cast.agent([
      code('calendar.missing({ colour: "red" })', 'calendar.book(colour="red")'),
      code('exit()', 'exit()'),
    ]);
    it('names the parameters there are, if one of another name is given', async () => {
      await cast.play(wrong, { vars: { calendar } });
      expect(shown(wrong, 2)).toMatch(
        pick(/TypeError/, /TypeError: There is no parameter 'colour'; it takes: dayName, hours/),
      );
    });

    const making = cast.agent([
      code(
        'const made = new Meeting("plan", 3); exit([made.title, made.hours])',
        'made = Meeting(hours=3, title="plan")\nexit([made.title, made.hours])',
      ),
    ]);
    it('makes objects with names for parameters', async () => {
      const job = await cast.play(making, { vars: { Meeting } });
      expect(await job.result()).toEqual(['plan', 3]);
    });

    const look = tool({
      name: 'lookUp',
      input: z.object({}),
      execute: () => ({ id: 7, firstName: 'Ann', items: [{ sku: 'a' }] }),
    });
    const reading = cast.agent(
      [
        code(
          'const it = lookUp(); it.id = 8; exit([it.id, it["id"], it.firstName, it.items[0].sku])',
          `it = look_up()
it.id = 8
print(it, it.get("firstName"), isinstance(it, dict), sorted(it)[0])
try:
    it.missing
except AttributeError as error:
    print(error)
import copy, json
print(json.dumps(copy.deepcopy(it)))
exit([it.id, it["id"], it.first_name, it["items"][0].sku])`,
        ),
      ],
      { tools: [look] },
    );
    it('reads members of plain results as attributes and as items', async () => {
      const job = await cast.play(reading);
      expect(await job.result()).toEqual([8, 8, 'Ann', 'a']);
      expect(await job.console()).toEqual(
        pick(
          [],
          [
            "{'id': 8, 'firstName': 'Ann', 'items': [{'sku': 'a'}]} Ann True firstName",
            "there is no 'missing' here; members: id, firstName, items",
            '{"id": 8, "firstName": "Ann", "items": [{"sku": "a"}]}',
          ],
        ),
      );
    });

    const rooms = {
      now: (): Room => new Room('Ada'),
      later: async (): Promise<Room> => new Room('Ada'),
      many: async (): Promise<unknown> => ({ rooms: [new Room('Ada'), new Room('Bob')] }),
      person: async (): Promise<Employee> => new Employee(),
    };
    const returned = cast.agent(
      [
        code(
          'const a = [now().name, now().seats, now().label]; const [b, c, p] = [await later(), await many(), await person()]; exit([...a, b.name, b.seats, b.label, c.rooms[1].name, b._secret, p.name, p.salary])',
          `a = [now().name, now().seats, now().label]
b, c, p = later(), many(), person()
exit([*a, b.name, b.seats, b.label, c.rooms[1].name, b.get("_secret"), p.name, p.get("salary")])`,
        ),
      ],
      { tools: rooms },
    );
    it('gets the fields of an instance from an async tool as from a sync one, and no others', async () => {
      const job = await cast.play(returned);
      const nothing = pick(undefined, null);
      expect(await job.result()).toEqual(['Ada', 4, 'Ada!', 'Ada', 4, 'Ada!', 'Bob', nothing, 'Ann', nothing]);
    });

    const whole = cast.agent(
      [
        code(
          `const found = await meetings(); const service = await desk(); const kept = found.all[0];
kept.rename("later"); await signal("go"); kept.rename(kept.title + "!");
exit([found.all.map((one) => one.describe()), service.findEmptySlot("now", 5)[0], kept instanceof Meeting])`,
          `found = meetings()
service = desk()
kept = found.all[0]
kept.rename("later")
signal("go")
kept.rename(kept.title + "!")
exit([[one.describe() for one in found.all], service.find_empty_slot("now", 5)[0], isinstance(kept, Meeting)])`,
        ),
      ],
      {
        tools: {
          meetings: async (): Promise<unknown> =>
            cast.kit.transaction(() => ({ all: [new Meeting('plan', 2), new Meeting('talk')] })),
          desk: async (): Promise<unknown> => calendar,
        },
      },
    );
    it('gets durable objects and services with their methods from an async tool, for good', async () => {
      const job = await cast.play(whole, { vars: { Meeting } });
      await cast.kit.signal('go');
      await cast.kit.runUntilIdle();
      expect(await job.result()).toEqual([['later! (2)', 'talk (1)'], 'now', true]);
    });

    const named = cast.agent([{ toolCalls: [{ name: pick('lookUp', 'look_up'), input: {} }] }, 'Done.'], {
      tools: [look, tool({ name: 'findAll', execute: () => [] })],
      chatStyle: 'DIRECT',
      metadata: { LLM_TOOLS_SCOPE: pick('APPLICATION +docstr -findAll', 'APPLICATION +docstr -find_all') },
    });
    it('offers a tool to the provider by the name that code calls it', async () => {
      const job = await cast.play(named);
      expect(await job.result()).toBe('Done.');
      expect(named.model.requests[0]?.tools?.map(({ name }) => name)).toEqual(
        pick(['lookUp', 'docstr'], ['look_up', 'docstr']),
      );
      expect(JSON.stringify(named.model.requests[1]?.messages.at(-1))).toContain('Ann');
    });
  },
  60_000,
);
