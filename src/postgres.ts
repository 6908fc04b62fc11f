// Everything `statek/postgres` exports.
import './base/require-node.ts';
export { openPostgres } from './store/postgres/open.ts';
export type { PostgresConnection, PostgresOptions } from './store/postgres/options.ts';
