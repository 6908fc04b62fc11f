// What an error of the SDK means for a call: it was not made, it was refused, it has failed, or nobody knows.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { StatekError } from '../../base/error.ts';
import { OutcomeUnknownError, TimeoutError } from '../../workspace/door.ts';
import { streamEnded } from './http-transport.ts';
import { McpConnectionError, McpLimitError, McpProtocolError, McpToolError } from './errors.ts';

export interface Failure {
  readonly error: StatekError;
  /** `unsent`: nothing has happened, and another connection may do better. */
  readonly kind: 'unsent' | 'certain' | 'unknown';
}

/** `problem` is what went wrong with the connection last, if that is known. */
export function failureOf(server: string, what: string, thrown: unknown, problem: string | undefined): Failure {
  const details = { server, what };
  const certain = (error: StatekError): Failure => ({ kind: 'certain', error });
  if (thrown instanceof StatekError) return certain(thrown);
  if (thrown instanceof ProtocolError && thrown.code !== streamEnded) {
    const text = `The MCP server '${server}' refused ${what}: ${cut(thrown.message)}`;
    return certain(new McpToolError(text, { ...details, code: thrown.code }));
  }
  if (thrown instanceof UnauthorizedError || (thrown instanceof SdkHttpError && isRefusal(thrown.status))) {
    const kind = thrown instanceof SdkHttpError && thrown.status === 404 ? 'unsent' : 'certain';
    const error = new McpConnectionError(
      `The MCP server '${server}' refused ${what}: ${cut(messageOf(thrown))} Nothing was done.`,
      details,
    );
    return { kind, error };
  }
  const code = thrown instanceof SdkError ? thrown.code : undefined;
  if (code === SdkErrorCode.RequestTimeout) {
    const hint = problem === undefined ? '' : ` Its last problem: ${problem}`;
    return certain(new TimeoutError(`The MCP server '${server}' did not answer ${what} in time.${hint}`, details));
  }
  if (code === SdkErrorCode.NotConnected || isUnreachable(thrown)) {
    const text = `The MCP server '${server}' cannot be reached for ${what} (${cut(messageOf(thrown))}). Nothing was done.`;
    return { kind: 'unsent', error: new McpConnectionError(text, details, thrown) };
  }
  if (code !== undefined && broken.has(code)) {
    const text = `The MCP server '${server}' answered ${what} with something that is not allowed: ${cut(messageOf(thrown))}`;
    return certain(new McpProtocolError(text, details, thrown));
  }
  const limit = limitIn(thrown);
  const why = limit?.message ?? problem ?? messageOf(thrown);
  const text = `The connection to the MCP server '${server}' was lost during ${what}; it may have had its effect or not. (${cut(why)})`;
  return { kind: 'unknown', error: new OutcomeUnknownError(text, details, thrown) };
}

const broken = new Set<SdkErrorCode>([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.ListPaginationExceeded,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
]);

/** The server has looked at the request and has not taken it. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

/** There was nobody to take the request. */
function isUnreachable(thrown: unknown): boolean {
  const { cause } = (thrown ?? {}) as { cause?: { code?: unknown } };
  return ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'].includes(String(cause?.code));
}

function limitIn(thrown: unknown): McpLimitError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++)
    if (error instanceof McpLimitError) return error;
  return undefined;
}

export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { cause } = thrown;
  return cause instanceof Error ? `${thrown.message}: ${cause.message}` : thrown.message;
}

/** Texts of a server are shown to models; they are no longer than they need to be. */
export function cut(text: string, longest = 2000): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
