// What programs and pages use to talk to a server. It runs wherever there is `fetch`.
export { client, type ClientOptions, type StatekClient } from './server/client/client.ts';
export { ServerAnswerError, ServerUnreachableError } from './server/client/error.ts';
export type { ClientEvent, ClientEventOptions } from './server/client/events.ts';
export type {
  ClientAnswer,
  ClientMethod,
  ClientParameters,
  ClientPath,
  ClientRequest,
  ClientRoute,
  ServerRoutes,
} from './server/client/routes.ts';
