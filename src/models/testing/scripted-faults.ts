// The errors a script can simulate.
import {
  ModelAuthError,
  ModelBadRequestError,
  ModelContentRefusedError,
  ModelContextTooLongError,
  ModelInvalidReplyError,
  ModelNetworkError,
  ModelNotFoundError,
  ModelOverloadedError,
  ModelQuotaError,
  ModelRateLimitError,
  type ModelError,
  type ModelErrorDetails,
} from '../errors.ts';
import type { ScriptedFault, ScriptedReply } from './scripted-reply.ts';

type ModelErrorClass = new (message: string, details: ModelErrorDetails) => ModelError;

const classes: Readonly<Record<Exclude<ScriptedFault, 'silence'>, ModelErrorClass>> = {
  auth: ModelAuthError,
  quota: ModelQuotaError,
  'not-found': ModelNotFoundError,
  'rate-limit': ModelRateLimitError,
  overloaded: ModelOverloadedError,
  'bad-request': ModelBadRequestError,
  'context-too-long': ModelContextTooLongError,
  'content-refused': ModelContentRefusedError,
  'invalid-reply': ModelInvalidReplyError,
  network: ModelNetworkError,
  cut: ModelNetworkError,
};

export const faultNames: readonly string[] = [...Object.keys(classes), 'silence'];

export function scriptedError({ fault, retryAfter }: ScriptedReply): ModelError | undefined {
  if (fault === undefined || fault === 'silence') return undefined;
  return new classes[fault](`simulated by the script: ${fault}`, retryAfter === undefined ? {} : { retryAfter });
}
