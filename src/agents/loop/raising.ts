// Difficulty rises, and never falls: an agent that asks for help goes on with a stronger model. What raises it comes
// through the job's own inbox, so that it is in the store before it counts.
import type { JobMessage } from '../../jobs/door.ts';
import { difficulties, type Difficulty } from '../../models/door.ts';
import { isRecord } from '../tools/schema.ts';

export interface Raising {
  readonly raise: true;
  /** The difficulty to rise to; default: the next one. */
  readonly to?: Difficulty | undefined;
  /** Two with the same key are one. */
  readonly key: string;
}

function isRaising(body: unknown): body is Raising {
  return isRecord(body) && body['raise'] === true;
}

export function raised(
  difficulty: Difficulty,
  { kind, from, body }: JobMessage,
  job: string,
): { readonly difficulty: Difficulty; readonly key: string } | undefined {
  if (kind !== 'notice' || from !== job || !isRaising(body)) return undefined;
  const { to, key } = body;
  const now = difficulties.indexOf(difficulty);
  const wanted = to === undefined ? now + 1 : difficulties.indexOf(to);
  return {
    difficulty: difficulties[Math.min(Math.max(now, wanted), difficulties.length - 1)] ?? difficulty,
    key,
  };
}
