// Maps errors of the SDK and the network to model errors. Providers report the same problem in many ways.
import { APICallError } from '@ai-sdk/provider';
import {
  ModelAuthError,
  ModelBadRequestError,
  ModelContentRefusedError,
  ModelContextTooLongError,
  ModelError,
  ModelInvalidReplyError,
  ModelNetworkError,
  ModelNotFoundError,
  ModelOverloadedError,
  ModelQuotaError,
  ModelRateLimitError,
  ModelTimeoutError,
  type ModelErrorDetails,
} from '../errors.ts';
import { retryAfter } from '../asking/retry-after.ts';
import { factsOf, type ErrorFacts } from './error-facts.ts';

export interface ClassifyContext {
  readonly provider: string;
  readonly model: string;
  /** Never shown in a message. */
  readonly secrets: readonly string[];
  readonly now: number;
}

type ModelErrorClass = new (message: string, details: ModelErrorDetails, cause?: unknown) => ModelError;

export function classify(error: unknown, context: ClassifyContext): ModelError {
  if (error instanceof ModelError) return error;
  const facts = factsOf(error);
  const wait = retryAfter(facts.headers, context.now) ?? retryDelayIn(facts.body);
  const Class = classFor(facts, error);
  const message = redact(facts.message, context.secrets).slice(0, 1000);
  const details: ModelErrorDetails = {
    provider: context.provider,
    model: context.model,
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(wait === undefined ? {} : { retryAfter: wait }),
    ...(facts.body === '' ? {} : { body: redact(facts.body, context.secrets).slice(0, 2000) }),
  };
  const status = facts.status === undefined ? '' : ` (HTTP ${facts.status})`;
  // An SDK error contains the whole request, so it is not kept as the cause.
  const cause = APICallError.isInstance(error) ? error.cause : error instanceof Error ? error : undefined;
  return new Class(`${context.provider}/${context.model}: ${introduction(Class)}${status}: ${message}`, details, cause);
}

function classFor(facts: ErrorFacts, error: unknown): ModelErrorClass {
  const { status, text } = facts;
  if (isAboutRequest(facts)) {
    if (
      /context[_ ](length|window|size)|prompt is too long|too many (input |total )?tokens|token count.{0,40}exceed|maximum (prompt|input) length|request_too_large/i.test(
        text,
      )
    )
      return ModelContextTooLongError;
    if (/content[_ ](policy|filter)|content management policy|moderation|flagged|prohibited_content/i.test(text))
      return ModelContentRefusedError;
    if (/api[_ ]key[_ ](not valid|invalid)|invalid[_ ]api[_ ]key|authentication_error/i.test(text))
      return ModelAuthError;
    if (/model_not_found|model\b.{0,80}\b(does not exist|not found|is not supported)/i.test(text))
      return ModelNotFoundError;
    if (/credit balance|billing_hard_limit/i.test(text)) return ModelQuotaError;
  }
  if (/insufficient_quota|insufficient_credits/i.test(text) || status === 402) return ModelQuotaError;
  if (status === 401 || status === 403) return ModelAuthError;
  if (status === 404 || (status !== undefined && status < 400)) return ModelNotFoundError;
  if (status === 408) return ModelTimeoutError;
  if (status === 413) return ModelContextTooLongError;
  if (status === 429 || (status === undefined && /rate_limit|resource_exhausted/i.test(text)))
    return ModelRateLimitError;
  if (status === 409 || (status !== undefined && status >= 500)) return ModelOverloadedError;
  if (status === undefined && /overloaded|server_error|internal_error|unavailable|api_error/i.test(text))
    return ModelOverloadedError;
  if (status !== undefined && status >= 400) return ModelBadRequestError;
  if (facts.network) return ModelNetworkError;
  return requestNames.has(nameOf(error)) ? ModelBadRequestError : ModelInvalidReplyError;
}

const requestNames: ReadonlySet<string> = new Set([
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_UnsupportedFunctionalityError',
]);

function isAboutRequest({ status }: ErrorFacts): boolean {
  return status === undefined || (status >= 400 && status < 500 && status !== 429 && status !== 408);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

const introductions: readonly (readonly [ModelErrorClass, string])[] = [
  [ModelAuthError, 'the key was not accepted'],
  [ModelQuotaError, 'the account has no credit or quota left'],
  [ModelNotFoundError, 'the model or address does not exist'],
  [ModelRateLimitError, 'too many requests'],
  [ModelOverloadedError, 'the provider failed or is overloaded'],
  [ModelBadRequestError, 'the request was refused'],
  [ModelContextTooLongError, 'the messages are too long for the model'],
  [ModelContentRefusedError, 'the content was refused'],
  [ModelInvalidReplyError, 'the response is not a valid reply'],
  [ModelTimeoutError, 'the provider timed out'],
  [ModelNetworkError, 'the connection failed'],
];

function introduction(Class: ModelErrorClass): string {
  return introductions.find(([candidate]) => candidate === Class)?.[1] ?? 'the request failed';
}

function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret.length < 4 ? rest : rest.replaceAll(secret, '[secret]')), text);
}

/** Google reports the delay only in the body. */
function retryDelayIn(body: string): number | undefined {
  const seconds = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
