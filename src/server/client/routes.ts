// The types of the client, inferred from the table of routes. Nothing of the table itself is in the client.
import type { allRoutes } from '../http/table.ts';

/** What each route takes and answers, by `'GET /jobs/{id}'`. */
export type ServerRoutes = {
  readonly [R in ReturnType<typeof allRoutes>[number] as `${R['method']} ${R['path']}`]: NonNullable<R['types']>;
};

/** The methods of requests. */
export type ClientMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The paths that take a method. */
export type ClientPath<Method extends ClientMethod> = keyof ServerRoutes extends infer Name
  ? Name extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;

/** What one route takes and answers. */
export type ClientRoute<
  Method extends ClientMethod,
  Path extends string,
> = `${Method} ${Path}` extends infer Name extends keyof ServerRoutes ? ServerRoutes[Name] : never;

/** What belongs to a request: what is in braces in its path, its query, its body. */
export type ClientRequest<Method extends ClientMethod, Path extends string> = {
  readonly query?: ClientRoute<Method, Path>['query'];
  readonly signal?: AbortSignal | undefined;
} & (Path extends `${string}{${string}` ? { readonly path: ClientRoute<Method, Path>['path'] } : unknown) &
  (undefined extends ClientRoute<Method, Path>['body']
    ? { readonly body?: ClientRoute<Method, Path>['body'] }
    : { readonly body: ClientRoute<Method, Path>['body'] });

/** Whether a request can be sent with its path alone. */
export type ClientParameters<Method extends ClientMethod, Path extends string> =
  { readonly signal: undefined } extends ClientRequest<Method, Path>
    ? readonly [request?: ClientRequest<Method, Path>]
    : readonly [request: ClientRequest<Method, Path>];

/** What a route answers: data, a text, or a stream as the response itself. */
export type ClientAnswer<Method extends ClientMethod, Path extends string> = ClientRoute<
  Method,
  Path
>['answer'] extends 'text/event-stream' | 'application/gzip'
  ? Response
  : ClientRoute<Method, Path>['answer'] extends 'text/plain' | 'application/x-ndjson'
    ? string
    : ClientRoute<Method, Path>['answer'];
