// A seeded simulation: several processes, many jobs, crashes, delays, lost answers and stopped processes, in one process
// of the machine and on simulated time. If something is not as it must be, the seed says how to see it again.
import { setImmediate } from 'node:timers/promises';
import { SimulatedClock } from '../../base/simulated-clock.ts';
import { StatekError } from '../../base/error.ts';
import { functionOption, refuseUnknownOptions } from '../../base/options.ts';
import { openStore } from '../../store/door.ts';
import type { StatekOptions } from '../options.ts';
import type { Statek } from '../statek.ts';
import { safe, SimulatedProcess, type Hazards } from './process.ts';
import { SeededRandom } from './random.ts';
import { Standstill } from './standstill.ts';

/** What a simulation is of. */
export interface SimulatedWorld {
  /** Opens a kit with what every process of the application has. */
  open(parts: Required<Pick<StatekOptions, 'store' | 'clock' | 'faults'>>): Promise<Statek>;
  /** Submits what is to be done. */
  begin(kit: Statek): Promise<void>;
  /** Does now and then what people do: answers, decides, sends signals. */
  meddle?(kit: Statek): Promise<void>;
  /** Whether everything has come to its end. */
  isOver(kit: Statek): Promise<boolean>;
  /** What is not as it must be in the end. */
  check(kit: Statek): Promise<readonly string[]>;
}

/** What is simulated, and from which seed. */
export interface SimulationOptions {
  readonly seed: number;
  /** How often something may go wrong; after that everything is left to come to its end. Default: 200. */
  readonly steps?: number | undefined;
  /** Processes that work; default: 3. */
  readonly processes?: number | undefined;
  readonly world: (random: SeededRandom) => SimulatedWorld;
}

/** What happened in a simulation. */
export interface SimulationReport {
  readonly seed: number;
  readonly crashes: number;
  readonly stops: number;
  /** Simulated time that has passed, in milliseconds. */
  readonly milliseconds: number;
}

/** Something was not as it must be. */
export class SimulationFailedError extends StatekError {
  readonly code = 'SIMULATION_FAILED';
}

const hazards: Hazards = { delay: 0.3, longestDelay: 30, lostAnswer: 0.002, death: 0.003 };
/** Longer than anything takes in simulated time. */
const maxTicks = 400_000;

let count = 0;

/**
 * Runs a world of jobs on simulated processes that crash, stop and lose answers, from a seed; throws `SimulationFailedError` if a promise breaks.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  refuseUnknownOptions('simulate', options, { seed: true, steps: true, processes: true, world: true });
  functionOption('simulate', "option 'world'", options.world);
  return new Simulation(options).run();
}

interface Running {
  process: SimulatedProcess;
  kit: Promise<Statek>;
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #clock = new SimulatedClock();
  readonly #place = `memory:simulation ${++count}`;
  readonly #world: SimulatedWorld;
  readonly #running: Running[] = [];
  #crashes = 0;
  #stops = 0;
  #isCalm = false;
  #ticks = 0;
  #standstill: Standstill | undefined;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#world = options.world(this.#random);
  }

  async run(): Promise<SimulationReport> {
    const { seed, steps = 200, processes = 3 } = this.#options;
    const started = this.#clock.now();
    const outside = await this.#start(safe, false);
    try {
      const kit = await this.#until(outside.kit);
      await this.#until(this.#world.begin(kit));
      for (let index = 0; index < processes; index++) this.#running.push(await this.#start(hazards, true));
      for (let step = 0; step < steps; step++) {
        await this.#pass(this.#random.below(40));
        await this.#trouble();
        if (this.#random.chance(0.3)) await this.#until(this.#world.meddle?.(kit) ?? Promise.resolve());
      }
      await this.#comeToRest(kit);
      const problems = await this.#until(this.#world.check(kit));
      if (problems.length > 0) throw this.#failed(problems);
    } catch (error) {
      throw error instanceof SimulationFailedError ? error : this.#failed([reasonOf(error)], error);
    } finally {
      for (const { process } of [...this.#running, outside]) process.die();
      await this.#standstill?.close();
      await setImmediate();
    }
    return { seed, crashes: this.#crashes, stops: this.#stops, milliseconds: this.#clock.now() - started };
  }

  #failed(problems: readonly string[], cause?: unknown): SimulationFailedError {
    const { seed, steps = 200 } = this.#options;
    return new SimulationFailedError(
      `The simulation with seed ${seed} and ${steps} steps failed: ${problems.join('; ')}`,
      { seed, steps, problems },
      cause,
    );
  }

  /** Lets time pass; what dies on the way is replaced. */
  async #pass(ticks: number): Promise<void> {
    for (let tick = 0; tick < ticks; tick++) await this.#tick();
    for (const [index, { process }] of this.#running.entries()) {
      if (!process.isDead) continue;
      this.#crashes++;
      this.#running[index] = await this.#start(this.#isCalm ? safe : hazards, true);
    }
  }

  async #trouble(): Promise<void> {
    const victim = this.#running[this.#random.below(this.#running.length)]?.process;
    const choice = this.#random.fraction();
    if (victim === undefined) return;
    if (choice < 0.06) victim.die();
    else if (choice < 0.16) {
      this.#stops++;
      victim.freeze();
      // Long enough for a lease to run out, or not.
      this.#clock.after(this.#random.below(6000), () => victim.thaw());
    }
  }

  /**
   * No more trouble: everything must come to its end now. Half of the time in new processes, half of the time in those that
   * have been through it, which must not have got stuck.
   */
  async #comeToRest(kit: Statek): Promise<void> {
    this.#isCalm = true;
    const isFresh = this.#random.chance(0.5);
    for (const { process } of this.#running) {
      if (isFresh) process.die();
      else process.spare();
    }
    // Those that died are replaced at once: only what stands still although somebody works is a fault.
    await this.#pass(0);
    this.#standstill = await Standstill.over(this.#place, this.#clock);
    for (;;) {
      await this.#pass(200);
      await this.#until(this.#world.meddle?.(kit) ?? Promise.resolve());
      if (await this.#until(this.#world.isOver(kit))) return;
    }
  }

  async #start(dangers: Hazards, works: boolean): Promise<Running> {
    const inner = await openStore(this.#place, { clock: this.#clock });
    const process = new SimulatedProcess(inner, this.#clock, this.#random, dangers);
    const { store, clock, faults } = process;
    const kit = this.#world.open({ store, clock, faults });
    // What a real process would take along.
    kit.then(
      (opened) => process.whenDead(() => opened.abandon()),
      () => process.die(),
    );
    // Processes die here for reasons of their own, and more often in a row than is any job's fault.
    const options = { concurrency: 10, maxCrashes: 20 };
    if (works) void kit.then((opened) => opened.start(options)).catch(() => process.die());
    return { process, kit };
  }

  /** Lets time pass until a promise is settled. */
  async #until<Result>(promise: Promise<Result>): Promise<Result> {
    const state = { isSettled: false };
    const settle = (): void => {
      state.isSettled = true;
    };
    promise.then(settle, settle);
    await turns();
    while (!state.isSettled) await this.#tick();
    return promise;
  }

  async #tick(): Promise<void> {
    if (++this.#ticks > maxTicks) throw new Error('it does not come to an end');
    this.#clock.tick();
    await turns();
    this.#standstill?.look();
  }
}

/** Everything that can go on without time passing does. */
async function turns(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
