// Everything `statek/postgres` exports.
export { openPostgres } from './store/postgres/open.ts';
export type { PostgresConnection, PostgresOptions } from './store/postgres/options.ts';
