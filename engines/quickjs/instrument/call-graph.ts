// Chooses the functions that must count when they are entered, so that no recursion goes uncounted.
// Loops are counted at their heads; what is left are circles of calls. Counting in one function of each circle is enough,
// and in a large one it costs least, so most of the engine's small hot functions stay as the compiler made them.

export interface FunctionCalls {
  readonly size: number;
  readonly calls: readonly number[];
}

/**
 * Returns nodes such that every circle in the graph passes through one of them. A node with no size (a table of functions
 * that an indirect call may reach) is never chosen.
 */
export function breakCircles(nodes: readonly FunctionCalls[]): Set<number> {
  const chosen = new Set<number>();
  const callers: Set<number>[] = nodes.map(() => new Set());
  const callees: Set<number>[] = nodes.map(({ calls }) => new Set(calls));
  for (const [caller, targets] of callees.entries()) for (const target of targets) callers[target]?.add(caller);
  const alive = new Set(nodes.keys());

  const remove = (node: number): void => {
    alive.delete(node);
    for (const caller of callers[node] ?? []) callees[caller]?.delete(node);
    for (const callee of callees[node] ?? []) callers[callee]?.delete(node);
  };
  const choose = (node: number): void => {
    chosen.add(node);
    remove(node);
  };
  const prune = (): void => {
    for (let changed = true; changed;) {
      changed = false;
      for (const node of alive) {
        if ((callers[node]?.size ?? 0) > 0 && (callees[node]?.size ?? 0) > 0) continue;
        remove(node);
        changed = true;
      }
    }
  };

  for (const node of alive) if (callees[node]?.has(node) === true) choose(node);
  for (prune(); alive.size > 0; prune()) {
    let best = -1;
    let bestScore = 0;
    for (const node of alive) {
      const score = (nodes[node]?.size ?? 0) * (callers[node]?.size ?? 0) * (callees[node]?.size ?? 0);
      if (score > bestScore) {
        best = node;
        bestScore = score;
      }
    }
    if (best < 0) throw new Error('a circle of calls runs through tables alone; there is no function to count in');
    choose(best);
  }
  return chosen;
}
