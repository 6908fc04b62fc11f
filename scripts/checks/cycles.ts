// Finds import cycles: files that import each other cannot be loaded or understood in order.

/** One cycle per strongly connected group of files: a shortest closed path through its first file. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const reported = new Set<string>();
  for (const start of graph.keys()) {
    if (reported.has(start)) continue;
    const cycle = shortestCycle(graph, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const path of graph.keys()) {
      if (reaches(graph, start, path) && reaches(graph, path, start)) reported.add(path);
    }
  }
  return cycles;
}

function shortestCycle(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | undefined {
  const cameFrom = walk(graph, start);
  const last = [...cameFrom.keys()].find((path) => graph.get(path)?.includes(start));
  if (last === undefined) return undefined;
  const cycle = [start];
  for (let path = last; path !== start; path = cameFrom.get(path) ?? start) cycle.unshift(path);
  return [start, ...cycle];
}

function reaches(graph: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  return walk(graph, from).has(to);
}

/** Breadth-first, so that the predecessors form a shortest path. */
function walk(graph: ReadonlyMap<string, readonly string[]>, start: string): Map<string, string> {
  const cameFrom = new Map([[start, start]]);
  for (const path of cameFrom.keys()) {
    for (const next of graph.get(path) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, path);
  }
  return cameFrom;
}
