// What can go wrong with a model, told apart by what one does about it.
import { StatekError } from '../base/error.ts';

/** What is known of a failed request. */
export interface ModelErrorDetails extends Readonly<Record<string, unknown>> {
  readonly provider?: string;
  readonly model?: string;
  /** The HTTP status, when there was one. */
  readonly status?: number;
  /** Milliseconds the provider asked to wait. */
  readonly retryAfter?: number;
  /** How many requests were sent before giving up. */
  readonly attempts?: number;
}

/** An error of a request to a model. */
export abstract class ModelError extends StatekError {
  declare readonly details: ModelErrorDetails;
  /** The same request may succeed if it is sent again. */
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

/** The provider does not know the model, or the address leads nowhere. */
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

/** The request is one no retry makes right. */
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

/** What came back is not a reply. */
export class ModelInvalidReplyError extends ModelError {
  readonly code = 'MODEL_INVALID_REPLY';
  override readonly retryable = true;
}

/** The reply is larger than `limits.replyBytes`. */
export class ModelReplyTooLargeError extends ModelError {
  readonly code = 'MODEL_REPLY_TOO_LARGE';
}

/** The model was silent, or not done, for too long. */
export class ModelTimeoutError extends ModelError {
  readonly code = 'MODEL_TIMEOUT';
  override readonly retryable = true;
}

/** The connection failed, or was cut in the middle of the reply. */
export class ModelNetworkError extends ModelError {
  readonly code = 'MODEL_NETWORK';
  override readonly retryable = true;
}

/** The caller's signal ended the request. */
export class ModelAbortedError extends ModelError {
  readonly code = 'MODEL_ABORTED';
  override readonly otherModelMayHelp = false;
}

/** A model string, or a list of them by difficulty, that cannot be read. */
export class ModelStringError extends StatekError {
  readonly code = 'MODEL_STRING';
}

/** A setting of the environment or of a price table with a wrong name or value. */
export class ModelSettingsError extends StatekError {
  readonly code = 'MODEL_SETTINGS';
}

/** A script has no reply left, or was not asked what it expects. */
export class ModelScriptError extends ModelError {
  readonly code = 'MODEL_SCRIPT';
  override readonly otherModelMayHelp = false;
}

/** A recording was asked something else than what was recorded. */
export class ModelRecordingError extends ModelError {
  readonly code = 'MODEL_RECORDING';
  override readonly otherModelMayHelp = false;
}

/** Adds which model it was to an error that does not know. */
export function aboutModel(error: unknown, provider: string, model: string): unknown {
  if (error instanceof ModelError && error.details.provider === undefined) {
    error.message = `${provider}/${model}: ${error.message}`;
    Object.assign(error, { details: { provider, model, ...error.details } });
  }
  return error;
}
