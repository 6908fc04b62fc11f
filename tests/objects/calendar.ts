// The calendar that a program in a workspace works on, together with the application: classes, and the program.
import { Durable } from '../../src/objects/durable.ts';

const hour = 3_600_000;

export class Meeting extends Durable {
  title: string;
  start: Date;
  moves = 0;
  places: string[] = [];

  constructor(title: string, start: Date) {
    super();
    this.title = title;
    this.start = start;
  }

  moveTo(slot: Date): void {
    const calendar = new Calendar();
    // First things are changed and then refused: what a method did before it threw must not stand.
    this.moves++;
    this.places.push(slot.toISOString());
    if (calendar.meetings.some((other) => other !== this && other.start.getTime() === slot.getTime()))
      throw new RangeError(`${slot.toISOString()} is taken.`);
    this.start = slot;
  }
}

export class Calendar extends Durable {
  static durable = { singleton: true };
  meetings: Meeting[] = [];

  findMeeting(title: string): Meeting | undefined {
    return this.meetings.find((meeting) => meeting.title === title);
  }

  /** The first full hour after a moment at which nothing is. */
  findEmptySlot(after: Date): Date {
    const taken = new Set(this.meetings.map(({ start }) => start.getTime()));
    let slot = Math.floor(after.getTime() / hour) * hour + hour;
    while (taken.has(slot)) slot += hour;
    return new Date(slot);
  }

  book(title: string, after: Date): Meeting {
    const meeting = new Meeting(title, this.findEmptySlot(after));
    this.meetings.push(meeting);
    return meeting;
  }
}

export const calendarClasses = [Meeting, Calendar] as const;
export const planning = 'Weekly planning';
export const firstStart = new Date('2026-03-02T09:00:00Z');

/** Looks for a slot, waits (for a signal or a while), and moves the meeting there if the slot is still free then. */
export const movingProgram = `
  const meeting = calendar.findMeeting('${planning}');
  let moves = 0;
  let refused = 0;
  let placed = meeting.start;
  async function moveOften(count: number): Promise<string> {
    while (moves < count) {
      const slot = calendar.findEmptySlot(meeting.start);
      if (moves % 2 === 0) await signal('confirm ' + moves);
      else await sleep(3 + moves % 5);
      try {
        meeting.moveTo(slot);
      } catch (error) {
        if (error.name !== 'RangeError') throw error;
        refused++;
        meeting.refused = refused;
        continue;
      }
      placed = slot;
      moves++;
      print('move ' + moves + ' to ' + slot.toISOString());
    }
    return meeting.title;
  }`;
