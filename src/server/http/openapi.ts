// The OpenAPI 3.1 document of the routes.
import { z } from 'zod';
import { problemShape } from './problem.ts';
import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

export function openApiOf(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  return {
    openapi: '3.1.0',
    info: { title: 'Statek', version, description: 'Durable agents: jobs, workspaces, and what they wait for.' },
    // Relative, so that it is right under any prefix.
    servers: [{ url: '.' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: schemaOf(problemShape, 'output') },
      responses: {
        Problem: {
          description: 'It could not be done.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
}

function operationOf(route: Route): Json {
  const { summary, right, pathShape, query, body, answer, status } = route;
  return {
    operationId: operationId(route),
    summary,
    'x-right': right,
    ...(right === 'none' ? { security: [] } : {}),
    parameters: [...parametersOf(pathShape, 'path'), ...parametersOf(query, 'query')],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { schema: schemaOf(body, 'input') } },
          },
        }),
    responses: {
      [status]: {
        description: 'Done.',
        content:
          typeof answer === 'string'
            ? { [answer]: { schema: { type: 'string' } } }
            : { 'application/json': { schema: schemaOf(answer, 'output') } },
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

/** A name for clients: `getJobsIdResult`. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[/{}-]+/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(shape: z.ZodObject, place: 'path' | 'query'): Json[] {
  return Object.entries(shape.shape).map(([name, type]) => ({
    name,
    in: place,
    required: place === 'path' || !(type as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(type as z.ZodType, 'input'),
  }));
}

function schemaOf(type: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _schema, ...schema } = z.toJSONSchema(type, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return schema;
}
