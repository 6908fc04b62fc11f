import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { breakCircles } from './call-graph.ts';
import type { FunctionCalls } from './call-graph.ts';

/** Whether calls can go round without passing through a chosen node. */
function hasCircle(nodes: readonly FunctionCalls[], without: ReadonlySet<number>): boolean {
  const state = new Map<number, 'open' | 'closed'>();
  const visit = (node: number): boolean => {
    if (without.has(node) || state.get(node) === 'closed') return false;
    if (state.get(node) === 'open') return true;
    state.set(node, 'open');
    if (nodes[node]?.calls.some(visit) === true) return true;
    state.set(node, 'closed');
    return false;
  };
  return nodes.some((_, node) => visit(node));
}

it('leaves no circle uncounted', () => {
  const graphs = fc
    .integer({ min: 1, max: 25 })
    .chain((count) =>
      fc.array(
        fc.record({ size: fc.integer({ min: 1, max: 500 }), calls: fc.array(fc.nat(count - 1), { maxLength: 6 }) }),
        { minLength: count, maxLength: count },
      ),
    );
  fc.assert(
    fc.property(graphs, (nodes) => {
      expect(hasCircle(nodes, breakCircles(nodes))).toBe(false);
    }),
  );
});

it('counts in the largest function of a circle, and nowhere else', () => {
  const calls = [[1], [2], [0], [0]].map((targets, index) => ({
    size: [10, 500, 20, 9000][index] ?? 0,
    calls: targets,
  }));
  expect(breakCircles(calls)).toEqual(new Set([1]));
});

it('never counts in a table of functions', () => {
  expect(
    breakCircles([
      { size: 5, calls: [1] },
      { size: 0, calls: [0] },
    ]),
  ).toEqual(new Set([0]));
  expect(() =>
    breakCircles([
      { size: 0, calls: [1] },
      { size: 0, calls: [0] },
    ]),
  ).toThrow('tables alone');
});
