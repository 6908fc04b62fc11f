// A reasoning level from 0 to 100, in the steps that providers know.

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

/** The SDK turns the step into the nearest one the model has, or into a token budget. */
export function effortOf(level: number): Effort {
  return steps.find(([upTo]) => level <= upTo)?.[1] ?? 'max';
}

/** For servers that only know the three words every server knows, and `none`. */
export function plainEffortOf(level: number): 'none' | 'low' | 'medium' | 'high' {
  const effort = effortOf(level);
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}
