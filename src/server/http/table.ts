// All routes. The server answers them, and the typed client is inferred from them.
import { a2aRoutes } from '../chat/a2a-routes.ts';
import { agUiRoutes } from '../chat/ag-ui-routes.ts';
import { chatRoutes } from '../chat/routes.ts';
import type { Route } from './route.ts';
import { jobCommandRoutes } from './routes/job-commands.ts';
import { jobViewRoutes } from './routes/job-views.ts';
import { jobRoutes } from './routes/jobs.ts';
import { objectRoutes } from './routes/objects.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { stateRoutes } from './routes/state.ts';
import { tenantRoutes } from './routes/tenants.ts';
import { systemRoutes, type SystemParts } from './routes/system.ts';
import { timelineRoutes } from './routes/timeline.ts';
import { waitingRoutes } from './routes/waiting.ts';
import { workspaceRoutes } from './routes/workspaces.ts';

/** @inferred Users name its parts through the types of the client. */
// eslint-disable-next-line typescript/explicit-function-return-type, typescript/explicit-module-boundary-types -- the types of the client are inferred from it
export function allRoutes(parts: SystemParts) {
  return [
    ...jobRoutes,
    ...jobCommandRoutes,
    ...jobViewRoutes,
    ...timelineRoutes,
    ...waitingRoutes,
    ...workspaceRoutes,
    ...objectRoutes,
    ...scheduleRoutes,
    ...tenantRoutes,
    ...stateRoutes,
    ...chatRoutes(parts.rates),
    ...agUiRoutes(parts.rates),
    ...a2aRoutes(parts.rates),
    ...systemRoutes(parts),
  ] satisfies readonly Route[];
}
