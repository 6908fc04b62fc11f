// The thread behind blocking reads on PostgreSQL.
import { answerReads } from '../../engine/blocking/answer-reads.ts';
import { PostgresEngine } from '../engine.ts';
import type { Settings } from '../options.ts';

answerReads((settings) =>
  PostgresEngine.open({ ...(settings as Omit<Settings, 'clockOffset'>), poolSize: 1, clockOffset: () => 0 }),
);
