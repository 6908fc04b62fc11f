// Everything `statek/redis` exports.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export { openRedis } from './store/redis/open.ts';
export type { RedisConnection, RedisOptions } from './store/redis/options.ts';
