// Extracts the facts of a thrown or streamed error: status, text, headers, and whether it is a network error.
import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { isJsonObject } from '../json.ts';

export interface ErrorFacts {
  readonly status: number | undefined;
  readonly message: string;
  readonly body: string;
  /** Message, type, code and body, for searching keywords. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly network: boolean;
}

export function factsOf(error: unknown): ErrorFacts {
  if (APICallError.isInstance(error)) {
    // A successful response that cannot be parsed is an invalid reply, unless the connection broke.
    const failed = error.statusCode !== undefined && error.statusCode >= 300;
    // Some SDK providers put the parsed body here.
    const given: unknown = error.responseBody ?? '';
    const body = typeof given === 'string' ? given : JSON.stringify(given);
    return facts({
      status: failed ? error.statusCode : undefined,
      message: messageOf(error),
      body,
      text: failed ? `${error.message} ${body}` : '',
      headers: error.responseHeaders,
      network: !failed && (error.statusCode === undefined || isNetworkError(error)),
    });
  }
  if (error instanceof Error) {
    const cut = InvalidResponseDataError.isInstance(error) && /ended without/.test(error.message);
    return facts({ message: messageOf(error), network: cut || isNetworkError(error) });
  }
  return streamedFacts(error);
}

/** An error sent by the provider within the stream. */
function streamedFacts(error: unknown): ErrorFacts {
  if (typeof error === 'string') return facts({ message: error, text: error });
  if (!isJsonObject(error)) return facts({ message: 'an error without a description' });
  const inner = isJsonObject(error['error']) ? error['error'] : error;
  const numbers = [error['statusCode'], inner['code'], inner['status']].map(Number);
  const message = typeof inner['message'] === 'string' ? inner['message'] : JSON.stringify(inner);
  const words = [inner['type'], inner['code'], inner['status']].filter((word) => typeof word === 'string');
  return facts({
    status: numbers.find((number) => Number.isInteger(number) && number >= 400 && number < 600),
    message,
    text: [message, ...words].join(' '),
  });
}

function facts(known: Partial<ErrorFacts> & { message: string }): ErrorFacts {
  return { status: undefined, body: '', text: '', headers: undefined, network: false, ...known };
}

function messageOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause.message : '';
  if (error.message === '') return cause === '' ? error.name : cause;
  return cause === '' || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}

const networkCodes: ReadonlySet<string> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

function isNetworkError(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false;
  const code: unknown = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (networkCodes.has(code) || code.startsWith('UND_ERR_'))) return true;
  // The messages of Node's fetch for a lost connection.
  if (error instanceof TypeError && /^(terminated|fetch failed)$/.test(error.message)) return true;
  return isNetworkError(error.cause, depth + 1);
}
