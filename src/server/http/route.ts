// One route of the HTTP API. The table of routes feeds the handlers, the OpenAPI document, the typed client, the documentation and
// the test that every route refuses what it must.
import { z } from 'zod';
import type { KitAccess } from '../access/kit-access.ts';
import type { Right } from '../access/rights.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a handler is given. Path, query and body are checked. */
export interface RouteCall<Path, Query, Body> {
  readonly access: KitAccess;
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly signal: AbortSignal;
  /** The header of a stream that is continued. */
  readonly lastEventId: string | undefined;
  /** Another header of the request. */
  header(name: string): string | undefined;
  /** Where the caller finds the server: `https://example.com/statek/`. */
  readonly base: string;
  /** How long it may wait for something, in milliseconds. */
  readonly maxWait: number;
}

export interface Route {
  readonly method: Method;
  /** Below `/v1`, with parameters in braces: `/jobs/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** `none`: open to everybody who may reach the server. */
  readonly right: Right | 'none';
  readonly pathShape: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodType | undefined;
  /** What it answers: JSON of this shape, or another content type. */
  readonly answer: z.ZodType | 'text/event-stream' | 'text/plain' | 'application/x-ndjson' | 'application/gzip';
  readonly status: number;
  handle(call: RouteCall<never, never, never>): Promise<unknown>;
}

interface RouteOptions<
  Path extends z.ZodRawShape,
  Query extends z.ZodRawShape,
  Body extends z.ZodType,
  Answer extends Route['answer'],
> {
  readonly summary: string;
  readonly right: Right | 'none';
  readonly path?: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Answer;
  readonly status?: number;
  handle(
    call: RouteCall<z.output<z.ZodObject<Path>>, z.output<z.ZodObject<Query>>, z.output<Body>>,
  ): Promise<Answer extends z.ZodType ? z.input<Answer> : Response>;
}

/** What a client sends to a route and is answered; it exists for the type checker alone. */
export interface RouteTypes {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly answer: unknown;
}

/** A route whose types are known, for the typed client. */
export interface TypedRoute<M extends Method, P extends string, Types extends RouteTypes> extends Route {
  readonly method: M;
  readonly path: P;
  readonly types?: Types;
}

// eslint-disable-next-line typescript/no-generated-empty-object-type -- a shape without fields
type Nothing = Record<never, never>;

/** Declares a route, for example `route('GET', '/jobs/{id}', { … })`. */
export function route<
  const M extends Method,
  const P extends string,
  Answer extends Route['answer'],
  Path extends z.ZodRawShape = Nothing,
  Query extends z.ZodRawShape = Nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(
  method: M,
  path: P,
  options: RouteOptions<Path, Query, Body, Answer>,
): TypedRoute<
  M,
  P,
  {
    readonly path: z.input<z.ZodObject<Path>>;
    readonly query: z.input<z.ZodObject<Query>>;
    readonly body: z.input<Body>;
    readonly answer: Answer extends z.ZodType ? z.output<Answer> : Answer;
  }
> {
  const { summary, right, body, answer, status = 200, handle } = options;
  return {
    method,
    path,
    summary,
    right,
    pathShape: z.strictObject(options.path ?? {}),
    query: z.strictObject(options.query ?? {}),
    body,
    answer,
    status,
    handle: (call) => handle(call),
  };
}

/** A whole number in a query. */
export const queryNumber = (min: number, max: number, defaultValue: number): z.ZodDefault<z.ZodCoercedNumber> =>
  z.coerce.number().int().min(min).max(max).default(defaultValue);

/** The id of something: any text without control characters. */
export const idText = z
  .string()
  .min(1)
  .max(400)
  .regex(/^\P{Cc}*$/u, 'has control characters');

export const jsonData = z.json();
