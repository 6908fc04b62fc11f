// Everything `statek/models` exports: requests, replies and errors of models, and what a backend or provider is made of.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export { defaultRetry, type RetryOptions as ModelRetryOptions } from './models/asking/retry.ts';
export { defaultReplyLimits, type ReplyLimits } from './models/asking/watch.ts';
export type { BackendRequest, ModelAnswer, ModelBackend, ModelTurn, Sleep } from './models/backend.ts';
export { parseModelChoice, type Difficulty, type ModelChoice } from './models/difficulty.ts';
export {
  ModelAbortedError,
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
  ModelRecordingError,
  ModelReplyTooLargeError,
  ModelScriptError,
  ModelSettingsError,
  ModelStringError,
  ModelTimeoutError,
  type ModelErrorDetails,
} from './models/errors.ts';
export type { JsonObject, JsonValue } from './models/json.ts';
export {
  messageText,
  messageToolCalls,
  type AssistantMessage,
  type AssistantPart,
  type MadeBy,
  type MediaPart,
  type ModelMessage,
  type ReasoningPart,
  type SystemMessage,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from './models/message.ts';
export type { ModelName, ModelParameters } from './models/model-string.ts';
export { Models, type AskOptions, type ModelsOptions } from './models/models.ts';
export { priceListDate } from './models/prices/price-list.ts';
export type { ProviderApi, ProviderOptions, SdkProvider } from './models/providers/registry.ts';
export type {
  FinishReason,
  ModelCost,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ModelTokens,
  ModelTool,
  ModelUsage,
  ToolChoice,
} from './models/request.ts';
export type { SdkLanguageModel } from './models/sdk/registered-model.ts';
