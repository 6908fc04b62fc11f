// The errors of models, distinguished by what to do about them.
import { StatekError } from '../base/error.ts';

/** What is known of a failed request. */
export interface ModelErrorDetails extends Readonly<Record<string, unknown>> {
  readonly provider?: string;
  readonly model?: string;
  /** The HTTP status, if any. */
  readonly status?: number;
  /** Milliseconds the provider asked to wait. */
  readonly retryAfter?: number;
  /** How many requests were sent before giving up. */
  readonly attempts?: number;
}

/** An error of a request to a model. */
export abstract class ModelError extends StatekError {
  declare readonly details: ModelErrorDetails;
  /** A retry of the same request may succeed. */
  readonly retryable: boolean = false;
  /** Another model may succeed where this one did not. */
  readonly otherModelMayHelp: boolean = true;

  // The narrower type of `details` is the point of this constructor.
  // oxlint-disable-next-line no-useless-constructor
  constructor(message: string, details: ModelErrorDetails = {}, cause?: unknown) {
    super(message, details, cause);
  }
}

/** The key is missing, wrong, or not allowed to use the model. */
export class ModelAuthError extends ModelError {
  readonly code = 'MODEL_AUTH';
}

/** The account has no credit or has used up its quota. */
export class ModelQuotaError extends ModelError {
  readonly code = 'MODEL_QUOTA';
}

/** The provider does not know the model or the address. */
export class ModelNotFoundError extends ModelError {
  readonly code = 'MODEL_NOT_FOUND';
}

/** Too many requests or tokens at once. */
export class ModelRateLimitError extends ModelError {
  readonly code = 'MODEL_RATE_LIMIT';
  override readonly retryable = true;
}

/** The provider is overloaded or broken. */
export class ModelOverloadedError extends ModelError {
  readonly code = 'MODEL_OVERLOADED';
  override readonly retryable = true;
}

/** The request is invalid; a retry cannot succeed. */
export class ModelBadRequestError extends ModelError {
  readonly code = 'MODEL_BAD_REQUEST';
  override readonly otherModelMayHelp = false;
}

/** The messages are longer than the model can read. */
export class ModelContextTooLongError extends ModelError {
  readonly code = 'MODEL_CONTEXT_TOO_LONG';
}

/** The provider or the model refused to answer because of the content. */
export class ModelContentRefusedError extends ModelError {
  readonly code = 'MODEL_CONTENT_REFUSED';
  override readonly otherModelMayHelp = false;
}

/** The response is not a valid reply. */
export class ModelInvalidReplyError extends ModelError {
  readonly code = 'MODEL_INVALID_REPLY';
  override readonly retryable = true;
}

/** The reply is larger than `limits.replyBytes`. */
export class ModelReplyTooLargeError extends ModelError {
  readonly code = 'MODEL_REPLY_TOO_LARGE';
}

/** The model was silent, or took too long. */
export class ModelTimeoutError extends ModelError {
  readonly code = 'MODEL_TIMEOUT';
  override readonly retryable = true;
}

/** The connection failed, or was lost during the reply. */
export class ModelNetworkError extends ModelError {
  readonly code = 'MODEL_NETWORK';
  override readonly retryable = true;
}

/** The caller aborted the request. */
export class ModelAbortedError extends ModelError {
  readonly code = 'MODEL_ABORTED';
  override readonly otherModelMayHelp = false;
}

/** An invalid model string or list of models by difficulty. */
export class ModelStringError extends StatekError {
  readonly code = 'MODEL_STRING';
}

/** An invalid environment variable or price table. */
export class ModelSettingsError extends StatekError {
  readonly code = 'MODEL_SETTINGS';
}

/** A script has no reply left, or the request is not the expected one. */
export class ModelScriptError extends ModelError {
  readonly code = 'MODEL_SCRIPT';
  override readonly otherModelMayHelp = false;
}

/** The request is not in the recording. */
export class ModelRecordingError extends ModelError {
  readonly code = 'MODEL_RECORDING';
  override readonly otherModelMayHelp = false;
}

/** Adds provider and model to an error that lacks them. */
export function aboutModel(error: unknown, provider: string, model: string): unknown {
  if (error instanceof ModelError && error.details.provider === undefined) {
    error.message = `${provider}/${model}: ${error.message}`;
    Object.assign(error, { details: { provider, model, ...error.details } });
  }
  return error;
}
