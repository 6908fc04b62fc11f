// The application: an office with teams and rooms, as ordinary durable classes.
import { Durable } from 'statek';

// STATEK-ACL
// + *
// - salary: schedule_assistant
export class Person extends Durable {
  static durable = { name: 'Person' };
  name: string;
  /** Hours from UTC. */
  zone: string;
  salary: number;
  /** Days on which they are away: `2026-03-10`. */
  away: string[];

  constructor(name: string, zone: string, salary: number, away: string[] = []) {
    super();
    this.name = name;
    this.zone = zone;
    this.salary = salary;
    this.away = away;
  }
}

/** People who plan their days together. */
export class Team extends Durable {
  static durable = { name: 'Team' };
  name: string;
  people: Person[];

  constructor(name: string, people: Person[]) {
    super();
    this.name = name;
    this.people = people;
  }

  /** Whether nobody is away on a day, such as `2026-03-10`. */
  isFree(day: string): boolean {
    return this.people.every(({ away }) => !away.includes(day));
  }
}

export class Office extends Durable {
  static durable = { name: 'Office', singleton: true };
  teams: Team[] = [];
  rooms = new Map([
    ['Attic', 4],
    ['Garden', 12],
  ]);
  bookings: { room: string; day: string; start: string }[] = [];

  /** The team of this name. */
  team(name: string): Team {
    const found = this.teams.find((team) => team.name === name);
    if (found === undefined) throw new RangeError(`There is no team '${name}'.`);
    return found;
  }

  /** Books the smallest room that is free and large enough; `day` is `2026-03-10`, `start` is `09:00` UTC. */
  book(people: number, day: string, start: string): { room: string; day: string; start: string } {
    const free = [...this.rooms].filter(([room]) => !this.bookings.some((one) => one.room === room && one.day === day));
    const [room] = free.filter(([, seats]) => seats >= people).toSorted((a, b) => a[1] - b[1])[0] ?? [];
    if (room === undefined) throw new RangeError(`No room for ${people} people is free on ${day}.`);
    this.bookings.push({ room, day, start });
    return { room, day, start };
  }

  /** Lets a booking of a day start at another time. */
  move(day: string, start: string): { room: string; day: string; start: string } {
    const found = this.bookings.find((one) => one.day === day);
    if (found === undefined) throw new RangeError(`Nothing is booked on ${day}.`);
    found.start = start;
    return { ...found };
  }
}
