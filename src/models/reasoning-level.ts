// Maps a reasoning level from 0 to 100 to the steps of providers.

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

const steps: readonly (readonly [upTo: number, effort: Effort])[] = [
  [0, 'none'],
  [10, 'minimal'],
  [35, 'low'],
  [65, 'medium'],
  [85, 'high'],
  [95, 'xhigh'],
  [100, 'max'],
];

/** The SDK maps the step to the nearest one of the model, or to a token budget. */
export function effortOf(level: number): Effort {
  return steps.find(([upTo]) => level <= upTo)?.[1] ?? 'max';
}

/** For servers that support only the three common steps and `none`. */
export function plainEffortOf(level: number): 'none' | 'low' | 'medium' | 'high' {
  const effort = effortOf(level);
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}
