// What applications use to serve a kit over HTTP.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export {
  server,
  type Listening,
  type ListenOptions,
  type RouteSummary,
  type StatekServer,
} from './server/http/server.ts';
export type { AccessLogEntry, ServerOptions } from './server/http/options.ts';
export { ForbiddenError, type Caller, type CallerLimits, type Right } from './server/access/rights.ts';
