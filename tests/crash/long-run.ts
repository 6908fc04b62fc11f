// What a long run has to say at its end.
import type { Problem } from './problem.ts';

export interface LongRun {
  readonly problems: readonly Problem[];
  readonly words: string;
  readonly figures: Readonly<Record<string, number>>;
}

export function countKinds(problems: readonly Problem[]): Record<Problem['kind'], number> {
  const of = (kind: Problem['kind']): number => problems.filter((problem) => problem.kind === kind).length;
  return { lost: of('lost'), torn: of('torn'), twice: of('twice'), wrong: of('wrong') };
}
