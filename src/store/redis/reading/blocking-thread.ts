// The thread behind blocking reads on Redis.
import { answerReads } from '../../engine/blocking/answer-reads.ts';
import { RedisEngine } from '../engine.ts';
import type { ThreadSettings } from '../options.ts';

answerReads((settings) => RedisEngine.open({ ...(settings as ThreadSettings), poolSize: 1, clockOffset: () => 0 }));
