// Keeps a few instances of the interpreter for use again. Those at rest remember the image their memory equals: when a program's
// next slice finds its own, nothing is copied; otherwise only the pages that differ are.
import { EnginePoolFullError } from '../../typescript/engine/errors.ts';
import { loadBuild, readShipped, shippedBuild } from './build.ts';
import { restoreMemory } from './capture.ts';
import type { FileSources } from './files.ts';
import type { PythonImage } from './image.ts';
import { Instance } from './instance.ts';
import { PythonMachine, type MachineHost, type MachineLimits } from './machine.ts';
import { zoneFile } from './zone-file.ts';

export interface PythonPoolOptions {
  /** The most instances there may be, in use and at rest. */
  readonly instances: number;
  /** Bytes of WASM memory above which instances at rest are dropped, oldest first. */
  readonly memoryBytes: number;
}

/** Instances that are kept although nothing runs in them. */
const maxResting = 4;

interface Resting {
  readonly instance: Instance;
  readonly resident: PythonImage | undefined;
}

export class PythonPool {
  readonly #options: PythonPoolOptions;
  /** Longest at rest first. */
  #resting: Resting[] = [];
  readonly #inUse = new Set<Instance>();

  constructor(options: PythonPoolOptions) {
    this.#options = options;
  }

  /** Brings an image to life. Whoever acquires a machine releases it. */
  acquire(image: PythonImage, host: MachineHost, limits: MachineLimits): PythonMachine {
    const { instance, resident } = this.#take(image);
    if (resident !== image) restoreMemory(instance, image, resident);
    instance.marks.clear(instance.bytes.length);
    this.#inUse.add(instance);
    return new PythonMachine({
      instance,
      base: image,
      host,
      limits,
      onRelease: (equals, reusable) => this.#giveBack(instance, equals, reusable),
    });
  }

  /** Drops every instance at rest. */
  clear(): void {
    this.#resting = [];
  }

  /**
   * Programs differ from each other in little beside what they have in common with the boot image, and slices run one at a time:
   * making an instance equal to another program takes less than a millisecond, filling a new one tens of them. So there are few.
   */
  #take(image: PythonImage): Resting {
    const own = this.#resting.findIndex(({ resident }) => resident === image);
    if (own >= 0) return this.#remove(own);
    const { engine } = image.header;
    const build = loadBuild(engine);
    const sizeOf = ({ instance }: Resting): number => (instance.build === build ? instance.bytes.length : Infinity);
    const fitting = this.#resting.findLastIndex((one) => sizeOf(one) === image.byteLength);
    if (fitting >= 0) return this.#remove(fitting);
    if (this.#inUse.size + this.#resting.length >= this.#most) {
      // One that is smaller grows, and is then of use to larger programs only.
      const smaller = this.#resting.findLastIndex((one) => sizeOf(one) < image.byteLength);
      if (smaller >= 0) return this.#remove(smaller);
      this.#resting.shift();
    }
    if (this.#inUse.size >= this.#options.instances) {
      throw new EnginePoolFullError(`All ${this.#options.instances} machines are in use; release one or allow more.`, {
        instances: this.#options.instances,
      });
    }
    return { instance: new Instance(build, sourcesFor(engine)), resident: undefined };
  }

  get #most(): number {
    return Math.min(this.#options.instances, maxResting);
  }

  #remove(index: number): Resting {
    const [taken] = this.#resting.splice(index, 1);
    if (taken === undefined) throw new RangeError('no such instance');
    return taken;
  }

  #giveBack(instance: Instance, resident: PythonImage | undefined, reusable: boolean): void {
    this.#inUse.delete(instance);
    if (reusable) this.#resting.push({ instance, resident });
    while (this.#resting.length > 1 && this.#memoryBytes() > this.#options.memoryBytes) this.#resting.shift();
  }

  #memoryBytes(): number {
    let sum = 0;
    for (const { instance } of this.#resting) sum += instance.bytes.length;
    for (const instance of this.#inUse) sum += instance.bytes.length;
    return sum;
  }
}

const libraries = new Map<string, Uint8Array>();

/** The library is read when something outside the boot image is imported, which many programs never do. */
function sourcesFor(engine: string): FileSources {
  return {
    library: () => {
      let library = libraries.get(engine);
      if (library === undefined) libraries.set(engine, (library = readShipped(shippedBuild(engine).library)));
      return library;
    },
    zone: zoneFile,
  };
}
