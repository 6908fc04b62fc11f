// The application: a calendar and its meetings, as ordinary classes. They extend Durable, and that is all that keeps them.
import { Durable } from 'statek';

export interface Slot {
  readonly start: Date;
  /** For people: `Thu 5 Mar 11:00`. */
  readonly label: string;
}

const minute = 60_000;
const opening = 9;
const closing = 17;

export class Meeting extends Durable {
  static durable = { name: 'Meeting' };
  title: string;
  start: Date;
  minutes: number;
  attendees: string[];
  /** Counts how often it was moved: a program that ran twice would be found out. */
  moves = 0;

  constructor(title: string, start: Date, minutes: number, attendees: readonly string[]) {
    super();
    this.title = title;
    this.start = start;
    this.minutes = minutes;
    this.attendees = [...attendees];
  }

  /** Moves the meeting to a slot that findEmptySlot has found. */
  moveTo(slot: Slot): void {
    this.start = slot.start;
    this.moves += 1;
  }

  /** When it is, for people. */
  when(): string {
    return labelOf(this.start);
  }
}

export class Calendar extends Durable {
  static durable = { name: 'Calendar', singleton: true };
  meetings: Meeting[] = [];

  /** The meeting with this title; throws if there is none. */
  findMeeting(title: string): Meeting {
    const wanted = title.toLowerCase();
    const found = this.meetings.find((meeting) => meeting.title.toLowerCase() === wanted);
    if (found === undefined)
      throw new RangeError(
        `There is no meeting '${title}'. There are: ${this.meetings.map((m) => m.title).join(', ')}.`,
      );
    return found;
  }

  /** The first free time of so many minutes on a working day, from 9 to 17 o'clock, not before `after`. */
  findEmptySlot(minutes: number, { after }: { after: Date }): Slot {
    for (let time = after.getTime(); ; time += 30 * minute) {
      const start = new Date(time);
      const end = time + minutes * minute;
      const closes = Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate(), closing);
      const isWorking = start.getUTCDay() % 6 !== 0 && start.getUTCHours() >= opening && end <= closes;
      const isFree = this.meetings.every((one) => endOf(one) <= time || one.start.getTime() >= end);
      if (isWorking && isFree) return { start, label: labelOf(start) };
    }
  }

  /** Titles of the meetings on the day of a date. */
  on(day: Date): string[] {
    const date = day.toISOString().slice(0, 10);
    return this.meetings.filter(({ start }) => start.toISOString().startsWith(date)).map(({ title }) => title);
  }
}

function endOf({ start, minutes }: Meeting): number {
  return start.getTime() + minutes * minute;
}

export function labelOf(date: Date): string {
  const day = date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  return `${day.replace(',', '')} ${date.toISOString().slice(11, 16)}`;
}

/** The week of the story. Ann is away on Wednesday, where two of her meetings are. */
export function fillCalendar(calendar: Calendar): void {
  const at = (day: number, hour: number): Date => new Date(Date.UTC(2026, 2, day, hour));
  calendar.meetings.push(
    new Meeting('Weekly planning', at(4, 9), 60, ['Ann', 'Bob', 'Eve']),
    new Meeting('Design review', at(4, 14), 90, ['Ann', 'Carol']),
    new Meeting('Board preparation', at(5, 9), 120, ['Ann', 'Dan']),
    new Meeting('Interview', at(5, 13), 60, ['Ann', 'Eve']),
    new Meeting('All hands', at(6, 9), 60, ['everybody']),
  );
}
