// What applications use to serve a kit over HTTP.
export {
  server,
  type Listening,
  type ListenOptions,
  type RouteSummary,
  type StatekServer,
} from './server/http/server.ts';
export type { AccessLogEntry, ServerOptions } from './server/http/options.ts';
export { ForbiddenError, type Caller, type CallerLimits, type Right } from './server/access/rights.ts';
