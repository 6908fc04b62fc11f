// What a model is told about the objects, classes and functions of a job.
import { beforeAll, expect, test } from 'vitest';
import { Durable, Objects } from '../../objects/door.ts';
import { openStore } from '../../store/door.ts';
import { expose } from '../../workspace/door.ts';
import type { ClassDeclaration } from './declaration.ts';
import { describe } from './describe.ts';
import { extractDeclarations, parseDeclarations } from './syntax/extract.ts';
import { Knowledge } from './knowledge.ts';
import { briefText, briefTools, declarationOf, declareContext, docText, listTools } from './listing.ts';
import { toolDeclaration } from './tool-declaration.ts';

class Meeting extends Durable {
  static durable = { hidden: ['secret'], readonly: ['title'], acl: ['+ *', '- salary: Clerk'] };
  title = '';
  secret = 1;
  salary = 2;
  _internal = 3;

  constructor(title: string) {
    super();
    this.title = title;
  }

  /**
   * Moves the meeting.
   *
   * Everybody is told.
   *
   * @param {Date} day - the new day
   */
  move(day: Date): void {
    void day;
  }
}

class Calendar extends Durable {
  meetings: Meeting[] = [];

  findMeeting(title: string): Meeting | undefined {
    return this.meetings.find((meeting) => meeting.title === title);
  }
}

const source = `
  /** A calendar. */
  export class Calendar extends Durable {
    /** All of them. */
    meetings: Meeting[] = [];
    private hidden = 1;
    #secret = 2;
    /** Finds a meeting by its title. */
    findMeeting(title: string): Meeting | undefined { return undefined; }
  }
  /** When. */
  export type Day = 'mon' | 'tue';
  interface Hidden { a: string }
  export interface Person extends Base { readonly name: string; age?: number; greet(other: Person, day: Day): void }
  /** Adds. */
  export function add(a: number, b: number): number;
  export function add(a: any, b: any): any { return a + b; }
  export const later = async (days = 1, { urgent = false }: { urgent?: boolean } = {}) => days;
`;

const knowledge = new Knowledge([extractDeclarations([{ path: 'calendar.ts', text: source }])]);
const typescript = { knowledge, language: 'typescript', classes: [Meeting, Calendar] } as const;
let calendar: Calendar;

beforeAll(async () => {
  await Objects.open(await openStore('memory:'), { classes: [Meeting, Calendar] });
  calendar = new Calendar();
  calendar.meetings.push(new Meeting('Planning'));
});

test('the variables of a job, and every type they lead to', () => {
  expect(declareContext({ calendar, today: new Date(), count: 1 }, typescript)).toBe(
    [
      'declare const calendar: Calendar;',
      'declare const today: Date;',
      'declare const count: number;',
      '',
      '/** A calendar. */',
      'interface Calendar {',
      '  /** All of them. */',
      '  meetings: Meeting[];',
      '  /** Finds a meeting by its title. */',
      '  findMeeting(title: string): Meeting | undefined;',
      '}',
      '',
      'interface Meeting {',
      '  readonly title: string;',
      '  salary: number;',
      '  /**',
      '   * Moves the meeting.',
      '   * @param day - the new day',
      '   */',
      '  move(day: Date);',
      '}',
    ].join('\n'),
  );
});

test('the same in Python, for a role that sees less', () => {
  expect(declareContext({ calendar, Meeting }, { ...typescript, language: 'python', role: 'Clerk' })).toBe(
    [
      'calendar: Calendar',
      '',
      'class Calendar:',
      '    """A calendar."""',
      '    meetings: list[Meeting]  # All of them.',
      '    def find_meeting(self, title: str) -> Meeting | None:',
      '        """Finds a meeting by its title."""',
      '',
      'class Meeting:',
      '    title: str  # read-only',
      '    def move(self, day: datetime):',
      '        """Moves the meeting.',
      '',
      '        Args:',
      '            day: the new day',
      '        """',
    ].join('\n'),
  );
});

test('a class that is a variable can be made', () => {
  expect(declareContext({ Meeting }, typescript)).toContain('declare class Meeting {\n  constructor(title);');
});

test('ordinary objects and functions', () => {
  class Mailer {
    /** Sends a mail. */
    send(to: string, body: string): void {
      void [to, body];
    }

    wipe(): void {}
  }
  const mailer = expose(new Mailer(), { methods: ['send'] });
  const settings = { zone: 'UTC', /** Adds. */ add: (a: number, b = 1): number => a + b };
  expect(declareContext({ mailer, settings }, { ...typescript, detail: 'brief' })).toBe(
    [
      'declare const mailer: Mailer;',
      'declare const settings: Settings;',
      '',
      'interface Mailer {\n  /** Sends a mail. */\n  send(to, body);\n}',
      '',
      'interface Settings {\n  zone: string;\n  add(a, b?);\n}',
    ].join('\n'),
  );
});

test('live collections are collections, and names are names', () => {
  class Mailer {
    wipe(): void {}
  }
  const list = expose([1, 2], { live: true });
  const mailer = expose(new Mailer(), { name: '2nd mailer' });
  expect(declareContext({ list, mailer }, typescript)).toBe(
    'declare const list: number[];\ndeclare const mailer: _2nd_mailer;\n\ninterface _2nd_mailer {\n  wipe();\n}',
  );
});

test('a comment inside a function is about it', () => {
  function remind(who: string): string {
    /** Reminds somebody. */
    return who;
  }
  function wait(): void {
    /** Waits. */
  }
  expect(declareContext({ remind, wait }, { ...typescript, detail: 'brief' })).toBe(
    '/** Reminds somebody. */\ndeclare function remind(who);\n\n/** Waits. */\ndeclare function wait();',
  );
});

test('descriptions in code win', () => {
  class Room {
    name = 'Blue';
    /** A comment. */
    book(day: unknown): unknown {
      return day;
    }
  }
  describe(Room, {
    doc: 'A room.\n\nWith a view.',
    members: {
      name: 'What it is called.',
      book: { doc: 'Books it.', type: '(day: Date, hours?: number) => Promise<void>' },
    },
  });
  const declared = declarationOf(new Room(), typescript) as ClassDeclaration;
  expect(briefText(declared, 'typescript')).toBe(
    '/** A room. */\ninterface Room {\n  /** What it is called. */\n  name: string;\n  /** Books it. */\n  book(day: Date, hours?: number): Promise<void>;\n}',
  );
  expect(docText(declared, 'python')).toBe(
    [
      'class Room:',
      '    """A room.',
      '',
      '    With a view.',
      '    """',
      '    name: str  # What it is called.',
      '    def book(self, day: datetime, hours: float | None = None) -> None:',
      '        """Books it."""',
    ].join('\n'),
  );
  expect(() => describe(Room, { docs: 'x' } as never)).toThrow("no option 'docs'");
});

test('what is said cannot end the comment it stands in', () => {
  const tool = toolDeclaration({ name: 'say', description: 'Says */ and """ and \\ and "x"' });
  expect(listTools([tool], 'typescript', 'brief')).toBe(
    '/** Says *\\/ and """ and \\ and "x" */\ndeclare function say();',
  );
  expect(listTools([tool], 'python', 'brief')).toBe('def say():\n    """Says */ and \\"\\"\\" and \\\\ and "x\\""""');
});

test('tools: brief, usual and full', () => {
  const tool = toolDeclaration({
    name: 'book',
    description: 'Books a room.\n\nLong.\n@returns the meeting\n@throws {Busy} when taken\n@example\nbook(1)',
    input: { type: 'object', properties: { day: { type: 'integer', description: 'The day.' } }, required: ['day'] },
  });
  expect(briefTools([tool, toolDeclaration({ name: 'now' })], 'typescript')).toBe(
    'book(day: number) // Books a room.\nnow()',
  );
  expect(briefTools([tool], 'python')).toBe('book(day: int) # Books a room.');
  expect(listTools([tool], 'typescript', 'usual')).toBe(
    '/**\n * Books a room.\n * @param day - The day.\n * @returns the meeting\n */\ndeclare function book(day: number);',
  );
  expect(listTools([tool], 'typescript', 'full')).toBe(
    '/**\n * Books a room.\n *\n * Long.\n * @param day - The day.\n * @returns the meeting\n * @throws {Busy} when taken\n * @example\n * book(1)\n */\ndeclare function book(day: number);',
  );
});

test('declarations are read from files, and are JSON', () => {
  const found = extractDeclarations([{ path: 'calendar.ts', text: source }]);
  expect(parseDeclarations(JSON.stringify(found), 'docs.json')).toEqual(found);
  const texts = found.declarations.map((declaration) => briefText(declaration, 'typescript'));
  expect(texts.slice(1)).toEqual([
    "/** When. */\ntype Day = 'mon' | 'tue';",
    'interface Person extends Base {\n  readonly name: string;\n  age?: number;\n  greet(other: Person, day: Day): void;\n}',
    'add(a: number, b: number): number // Adds.',
    'later(days?, options?: { urgent?: boolean }): Promise<unknown>',
  ]);
  expect(texts[0]).not.toContain('hidden');
  expect(texts[0]).not.toContain('secret');
  expect(() => extractDeclarations([{ path: 'a.ts', text: 'class {' }])).toThrow('a.ts cannot be read');
  expect(() => parseDeclarations('{"version":2}', 'docs.json')).toThrow('docs.json holds no declarations');
});
