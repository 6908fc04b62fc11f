// The workspaces this process has in memory. Those used longest ago are parked when there are too many, or they take too
// much; they come back from the store by themselves.
import type { LiveWorkspace } from './live-workspace.ts';

/** How often workspaces are used between two looks at what they take. */
const usesPerLook = 64;

export class LivePool {
  readonly #live = new Map<string, LiveWorkspace>();
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #make: (id: string) => LiveWorkspace;
  #uses = 0;

  constructor(most: number, mostBytes: number, make: (id: string) => LiveWorkspace) {
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#make = make;
  }

  /** A workspace to work on. */
  get(id: string): LiveWorkspace {
    const known = this.#live.get(id);
    const live = known ?? this.#make(id);
    // The last one in the map is the one used last.
    this.#live.delete(id);
    this.#live.set(id, live);
    // Those that are here grow too, but adding up all of them for each use would cost more than it saves.
    this.#uses++;
    if (known === undefined || this.#uses % usesPerLook === 0) this.#parkSome(live);
    return live;
  }

  #parkSome(except: LiveWorkspace): void {
    let bytes = 0;
    for (const { memoryBytes } of this.#live.values()) bytes += memoryBytes;
    for (const [other, parked] of this.#live) {
      if (this.#live.size <= this.#most && bytes <= this.#mostBytes) break;
      if (parked.isBusy || parked === except) continue;
      bytes -= parked.memoryBytes;
      this.#live.delete(other);
      parked.park();
    }
  }

  /** Resolves when none of them has anything to do. */
  async idle(): Promise<void> {
    await Promise.all([...this.#live.values()].map((live) => live.idle()));
  }
}
