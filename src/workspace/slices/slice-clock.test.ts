import { describe, expect, it } from 'vitest';
import { SliceClock } from './slice-clock.ts';

/** A machine whose clocks stand until they are moved. */
class Machine {
  wallNow = 1000;
  cpuNow = 500;
  cpuReads = 0;

  wall(): number {
    return this.wallNow;
  }

  cpu(): number {
    this.cpuReads++;
    return this.cpuNow;
  }

  /** So much time passes; the thread has a processor for a part of it. */
  pass(wall: number, cpu = wall): void {
    this.wallNow += wall;
    this.cpuNow += cpu;
  }
}

const limits = { softCpuMilliseconds: 100, hardCpuMilliseconds: 5000 };

describe('the clock of a slice', () => {
  it('is over when the CPU time is used up, and stays over', () => {
    const machine = new Machine();
    const clock = new SliceClock(limits, machine);
    machine.pass(99);
    expect(clock.isOver()).toBe(false);
    machine.pass(1);
    expect(clock.isOver()).toBe(true);
    machine.pass(1);
    expect([clock.isOver(), clock.endedOnWall]).toEqual([true, false]);
  });

  it('does not stop code that waited for a processor', () => {
    const machine = new Machine();
    const clock = new SliceClock(limits, machine);
    machine.pass(3000, 20);
    expect(clock.isOver()).toBe(false);
    machine.pass(1000, 54);
    expect(clock.isOver()).toBe(false);
    machine.pass(10, 1);
    expect(clock.isOver()).toBe(true);
  });

  it('lets less CPU time be enough once a tenth more has passed on the clock', () => {
    const machine = new Machine();
    const clock = new SliceClock(limits, machine);
    machine.pass(100, 76);
    expect(clock.isOver()).toBe(false);
    machine.pass(9, 0);
    expect(clock.isOver()).toBe(false);
    machine.pass(1, 0);
    expect([clock.isOver(), clock.endedOnWall]).toEqual([true, false]);
  });

  it('is over when the time on the clock is used up, however little CPU time was', () => {
    const machine = new Machine();
    const clock = new SliceClock(limits, machine);
    machine.pass(4999, 1);
    expect([clock.isOver(), clock.endedOnWall]).toEqual([false, false]);
    machine.pass(1, 0);
    expect([clock.isOver(), clock.endedOnWall]).toEqual([true, true]);
  });

  it('gives two seconds on the clock at least', () => {
    const machine = new Machine();
    const clock = new SliceClock({ softCpuMilliseconds: 10, hardCpuMilliseconds: 20 }, machine);
    machine.pass(1999, 5);
    expect(clock.isOver()).toBe(false);
    machine.pass(1, 0);
    expect(clock.isOver()).toBe(true);
  });

  it('takes the smaller of both limits as CPU time', () => {
    const machine = new Machine();
    const clock = new SliceClock({ softCpuMilliseconds: 1000, hardCpuMilliseconds: 50 }, machine);
    machine.pass(50);
    expect(clock.isOver()).toBe(true);
  });

  it('looks ahead for what cannot be stopped in the middle', () => {
    const machine = new Machine();
    const clock = new SliceClock(limits, machine);
    machine.pass(50);
    expect(clock.isOver(60)).toBe(true);
    expect(clock.isOver(40)).toBe(false);
    expect(clock.isOver()).toBe(false);
  });

  it('reads CPU time only when it can have been used up', () => {
    const machine = new Machine();
    const clock = new SliceClock(limits, machine);
    const atFirst = machine.cpuReads;
    for (let turn = 0; turn < 90; turn++) {
      machine.pass(1, 0.1);
      clock.isOver();
    }
    expect(machine.cpuReads).toBe(atFirst);
    for (let turn = 0; turn < 1000; turn++) {
      machine.pass(0.1, 0.01);
      clock.isOver();
    }
    expect(machine.cpuReads - atFirst).toBeLessThan(5);
  });

  it('has clocks of the machine', () => {
    expect(new SliceClock({ softCpuMilliseconds: 3_600_000, hardCpuMilliseconds: 3_600_000 }).isOver()).toBe(false);
    const clock = new SliceClock({ softCpuMilliseconds: 1, hardCpuMilliseconds: 3_600_000 });
    let turns = 0;
    while (!clock.isOver()) turns++;
    expect(turns).toBeGreaterThan(0);
  });
});
