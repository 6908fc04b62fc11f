// Everything `statek/postgres` exports.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export { openPostgres } from './store/postgres/open.ts';
export type { PostgresConnection, PostgresOptions } from './store/postgres/options.ts';
