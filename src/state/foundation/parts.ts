// Which part of the state a collection belongs to: whoever shows one of them has to know when it has changed.

/** The parts of the state facade, as the API and the inspector name them. */
export const stateParts = ['keys', 'workflows', 'teams', 'knowledge', 'tools', 'speech'] as const;
export type StatePart = (typeof stateParts)[number];

const prefixes: readonly (readonly [prefix: string, part: StatePart])[] = [
  ['state_entries', 'keys'],
  ['state_workflow', 'workflows'],
  ['state_team', 'teams'],
  ['state_knowledge', 'knowledge'],
  ['state_tool', 'tools'],
  // The calls of jobs are part of the same statistics.
  ['call_log', 'tools'],
  ['state_speech', 'speech'],
];

/** Undefined for a collection that no part of the state shows. */
export function statePartOf(collection: string): StatePart | undefined {
  return prefixes.find(([prefix]) => collection.startsWith(prefix))?.[1];
}
