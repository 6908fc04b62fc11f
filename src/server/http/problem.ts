// Errors as `application/problem+json`: Statek's code, what is wrong, and where to read more. Never a stack, never a path of the
// machine: the message of an error that is not ours may contain either, so it is not passed on.
import { z, ZodError } from 'zod';
import { docsOf, StatekError } from '../../base/error.ts';

/** A refusal of the server itself, before or beside the kit. Clients see the reason as the code of the problem. */
export class RequestError extends StatekError {
  readonly code = 'REQUEST_REFUSED';
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message, details);
    this.status = status;
    this.reason = reason;
  }
}

export const problemShape = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  /** Where the code is explained, in the documentation of the package. */
  help: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export type Problem = z.output<typeof problemShape>;

const statusOfCode: Readonly<Record<string, number>> = {
  INVALID_OPTION: 400,
  STORE_ARGUMENT: 400,
  HISTORY_ARGUMENT: 400,
  CELL_SYNTAX: 422,
  STATE_ARGUMENT: 400,
  STATE_NOT_FOUND: 404,
  STATE_TRANSITION: 409,
  STATE_CONFLICT: 409,
  STATE_VERSION: 409,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  HISTORY_CHAIN_EXISTS: 409,
  HISTORY_UNKNOWN_CHAIN: 404,
  HISTORY_UNKNOWN_COMMIT: 404,
  OBJECT_GONE: 410,
  STORE_REVISION_GONE: 410,
  JOB_STATE: 409,
  WORKSPACE_STATE: 409,
  WORKSPACE_BUSY: 409,
  WORKSPACE_TAKEN: 409,
  STORE_CONFLICT: 409,
  OBJECT_CONFLICT: 409,
  READ_ONLY: 409,
  DRIVER_MISSING: 409,
  LIMIT: 422,
  TENANT_LIMIT: 429,
  QUEUE_OVERLOADED: 503,
  NOT_DURABLE: 422,
  KIT_CLOSED: 503,
  STORE_UNAVAILABLE: 503,
  STORE_UNKNOWN_OUTCOME: 503,
  STORE_BUSY: 503,
  STORE_CLOSED: 503,
  STORE_FULL: 507,
};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Who are you?',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Too slow',
  409: 'Conflict',
  410: 'Gone',
  413: 'Too large',
  415: 'Wrong content type',
  421: 'Wrong host',
  422: 'Cannot be done',
  429: 'Too many requests',
  431: 'Headers too large',
  500: 'Internal error',
  503: 'Not available',
  507: 'Store full',
};

export function problemOf(error: unknown): Problem {
  if (error instanceof ZodError) {
    const [issue] = error.issues;
    const where = issue === undefined || issue.path.length === 0 ? 'The request' : `'${issue.path.join('.')}'`;
    return problem(400, 'INVALID_REQUEST', `${where}: ${issue?.message ?? 'is invalid'}`, {}, true);
  }
  if (error instanceof RequestError) return problem(error.status, error.reason, error.message, error.details, true);
  if (error instanceof StatekError) {
    const status = statusOfCode[error.code];
    // A damaged row or a lost file is the server's affair; its message may name places on the machine.
    if (status === undefined) return problem(500, error.code, 'The server could not do this. Its log says why.');
    return problem(status, error.code, `${error.message}${whoDecided(error.details)}`, error.details);
  }
  // What evaluated code throws is an ordinary error with the name it has in the program.
  return problem(500, 'INTERNAL', 'The server could not do this. Its log says why.', {}, true);
}

interface Decided {
  readonly approved: boolean;
  readonly by?: string;
  readonly comment?: string;
  readonly time: number;
}

/** Who was first, with what and when: whoever comes second reads it without asking again. */
function whoDecided({ decision }: Readonly<Record<string, unknown>>): string {
  if (decision === undefined) return '';
  const { by = 'Somebody', approved, comment, time } = decision as Decided;
  const why = comment === undefined ? '' : ` (${comment})`;
  return ` ${by} ${approved ? 'said yes or answered' : 'said no'}${why} at ${new Date(time).toISOString()}.`;
}

function problem(
  status: number,
  code: string,
  detail: string,
  details: Readonly<Record<string, unknown>> = {},
  isReason = false,
): Problem {
  const plain = plainDetails(details);
  return {
    type: `urn:statek:error:${code}`,
    title: titles[status] ?? 'Error',
    status,
    code,
    detail,
    // The reasons of a refusal are explained together.
    help: docsOf(isReason ? 'REQUEST_REFUSED' : code),
    ...(Object.keys(plain).length === 0 ? {} : { details: plain }),
  };
}

function plainDetails(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(details)) {
    if (value === undefined || name === 'path' || name === 'file') continue;
    if (name === 'decision') {
      const { approved, by, comment, time } = value as Decided;
      plain[name] = { approved, by, comment, time: new Date(time).toISOString() };
      continue;
    }
    const isPlain = typeof value !== 'function' && typeof value !== 'bigint' && typeof value !== 'symbol';
    if (isPlain) plain[name] = value;
  }
  return plain;
}

export function problemResponse(error: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const body = problemOf(error);
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': 'application/problem+json', ...retryAfter(error), ...headers },
  });
}

/** When it is worth trying again, if the error says so. */
function retryAfter(error: unknown): Readonly<Record<string, string>> {
  const seconds = error instanceof StatekError ? error.details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};
}
