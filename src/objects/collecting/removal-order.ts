// The order of removals: no object is removed before the objects that refer to it. Until its own removal an object can be
// made reachable again, and then everything it refers to must still exist. Objects that refer to each other in a circle are
// removed together.
import type { Pace } from './pace.ts';
import type { ReferenceGraph } from './reachable.ts';

const stepsPerTurn = 50_000;

/** Groups of objects that refer to each other; most have one member. A group comes after all groups that refer to it. */
export class RemovalOrder {
  /** The members of all groups, those that are removed last first. */
  readonly #members: number[] = [];
  /** Where each group starts in `#members`. */
  readonly #starts: number[] = [];

  /** Orders objects that are neither kept nor gone. */
  static async of(graph: ReferenceGraph, objects: readonly number[], pace: Pace): Promise<RemovalOrder> {
    const order = new RemovalOrder();
    await order.#add(graph, objects, pace);
    return order;
  }

  /** The number of groups. */
  get size(): number {
    return this.#starts.length;
  }

  /** The members of a group; 0 is the group to remove first. */
  group(position: number): readonly number[] {
    const index = this.#starts.length - 1 - position;
    return this.#members.slice(this.#starts[index], this.#starts[index + 1]);
  }

  // Tarjan's algorithm finds the groups in one pass, each after all groups it refers to. It has a stack of its own, because
  // a chain of references may be longer than the call stack.
  async #add(graph: ReferenceGraph, objects: readonly number[], pace: Pace): Promise<void> {
    /** When an object was visited first, from 1; and the earliest object still open that it leads to. */
    const visited = new Uint32Array(graph.size);
    const earliest = new Uint32Array(graph.size);
    const isOpen = new Uint8Array(graph.size);
    const open: number[] = [];
    /** The objects from the start to the current one, and the next reference of each to follow. */
    const path: number[] = [];
    const links: number[] = [];
    let count = 0;
    let steps = 0;
    const enter = (number: number): void => {
      visited[number] = earliest[number] = ++count;
      isOpen[number] = 1;
      open.push(number);
      path.push(number);
      links.push(graph.firstLink(number));
    };
    const leadsTo = (from: number, time: number): void => {
      earliest[from] = Math.min(earliest[from] as number, time);
    };
    const leave = (number: number): void => {
      path.pop();
      links.pop();
      const before = path.at(-1);
      if (before !== undefined) leadsTo(before, earliest[number] as number);
      if (earliest[number] !== visited[number]) return;
      this.#starts.push(this.#members.length);
      let member: number;
      do {
        member = open.pop() as number;
        isOpen[member] = 0;
        this.#members.push(member);
      } while (member !== number);
    };
    for (const start of objects) {
      if (visited[start] === 0 && graph.isRemovable(start)) enter(start);
      for (let number = path.at(-1); number !== undefined; number = path.at(-1)) {
        if (++steps % stepsPerTurn === 0) await pace.step('mark', stepsPerTurn);
        const link = links.at(-1) as number;
        if (link === 0) {
          leave(number);
          continue;
        }
        links[links.length - 1] = graph.nextLink(link);
        const target = graph.targetOf(link);
        if (!graph.isRemovable(target)) continue;
        if (visited[target] === 0) enter(target);
        else if (isOpen[target] === 1) leadsTo(number, visited[target] as number);
      }
    }
  }
}
