// Keeps WASM instances for use again. Instances at rest remember the image their memory equals: when a program's next slice finds
// its own, nothing is copied; otherwise only the pages that differ are.
import { loadBuild } from './build.ts';
import type { EngineBuild } from './build.ts';
import { restoreMemory } from './capture.ts';
import type { Host, Limits, Machine, ProgramImage } from './engine.ts';
import { EngineMisuseError, EnginePoolFullError, ImageRefusedError } from './errors.ts';
import { Image } from './image.ts';
import { Instance } from './instance.ts';
import { checkLimits, usualLimits } from './limits.ts';
import { LiveMachine } from './live-machine.ts';
import { PagePool } from '../../wasm/page-pool.ts';

export interface MachinePoolOptions {
  /** The most instances there may be, in use and at rest. */
  readonly instances: number;
  /** Bytes of WASM memory above which instances at rest are dropped, oldest first. */
  readonly memoryBytes: number;
}

export interface AcquireOptions {
  readonly host: Host;
  readonly limits?: Limits;
  /** A new start for `Math.random`; given on create and fork. */
  readonly seed?: bigint;
}

export interface PoolState {
  readonly inUse: number;
  readonly atRest: number;
  readonly memoryBytes: number;
  readonly created: number;
  readonly dropped: number;
}

interface Resting {
  readonly instance: Instance;
  readonly resident: Image | undefined;
}

export class MachinePool {
  readonly #options: MachinePoolOptions;
  /** Longest at rest first. */
  #resting: Resting[] = [];
  readonly #inUse = new Set<Instance>();
  readonly #pages = new PagePool();
  #created = 0;
  #dropped = 0;

  constructor(options: MachinePoolOptions) {
    if (!(options.instances >= 1)) throw new EngineMisuseError('A pool needs room for at least one instance.');
    this.#options = options;
  }

  /** Brings an image to life. Whoever acquires a machine releases it. */
  acquire(image: ProgramImage, { host, limits = usualLimits, seed }: AcquireOptions): Machine {
    if (!(image instanceof Image)) throw new ImageRefusedError('This is not an image of the TypeScript engine.');
    checkLimits(limits);
    const build = loadBuild(image.header.engine);
    const { instance, resident } = this.#take(build, image);
    if (resident !== image) restoreMemory(instance, image, resident);
    instance.marks.clear(instance.bytes.length);
    this.#inUse.add(instance);
    const machine = new LiveMachine({
      instance,
      base: image,
      host,
      limits,
      copyPage: (memory, start) => this.#pages.copy(memory, start),
      onRelease: (equals, reusable) => this.#giveBack(instance, equals, reusable),
    });
    if (seed !== undefined) machine.reseed(seed);
    return machine;
  }

  /** `image` was replaced by `successor`, or left memory: nobody uses it again, and its pages may be used for other images. */
  retire(image: Image, successor: Image | undefined): void {
    const residents = this.#resting.flatMap(({ resident }) => (resident === undefined ? [] : [resident]));
    const unreliable = this.#pages.retire(image, successor, residents);
    if (unreliable.size === 0) return;
    this.#resting = this.#resting.map((resting) =>
      resting.resident !== undefined && unreliable.has(resting.resident)
        ? { ...resting, resident: undefined }
        : resting,
    );
  }

  get state(): PoolState {
    return {
      inUse: this.#inUse.size,
      atRest: this.#resting.length,
      memoryBytes: this.#memoryBytes(),
      created: this.#created,
      dropped: this.#dropped,
    };
  }

  /** Drops every instance at rest. */
  clear(): void {
    this.#dropped += this.#resting.length;
    this.#resting = [];
  }

  #take(build: EngineBuild, image: Image): Resting {
    const own = this.#resting.findIndex(({ resident }) => resident === image);
    if (own >= 0) return this.#remove(own);
    if (this.#inUse.size + this.#resting.length < this.#options.instances) return this.#create(build);
    const fitting = this.#resting.findIndex(
      ({ instance }) => instance.build === build && instance.bytes.length <= image.byteLength,
    );
    if (fitting >= 0) return this.#remove(fitting);
    if (this.#resting.shift() === undefined) {
      throw new EnginePoolFullError(`All ${this.#options.instances} machines are in use; release one or allow more.`, {
        instances: this.#options.instances,
      });
    }
    this.#dropped++;
    return this.#create(build);
  }

  #create(build: EngineBuild): Resting {
    this.#created++;
    return { instance: new Instance(build), resident: undefined };
  }

  #remove(index: number): Resting {
    const [taken] = this.#resting.splice(index, 1);
    if (taken === undefined) throw new RangeError('no such instance');
    return taken;
  }

  #giveBack(instance: Instance, resident: Image | undefined, reusable: boolean): void {
    this.#inUse.delete(instance);
    if (reusable) this.#resting.push({ instance, resident });
    else this.#dropped++;
    while (this.#resting.length > 0 && this.#memoryBytes() > this.#options.memoryBytes) {
      this.#resting.shift();
      this.#dropped++;
    }
  }

  #memoryBytes(): number {
    let sum = 0;
    for (const { instance } of this.#resting) sum += instance.bytes.length;
    for (const instance of this.#inUse) sum += instance.bytes.length;
    return sum;
  }
}
