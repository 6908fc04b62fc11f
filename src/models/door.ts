// The door of this layer: what the layers below it in docs/architecture.md may use of models. Everything else is its own.
export { difficulties, parseModelChoice, type Difficulty, type ModelChoice } from './difficulty.ts';
export type { JsonObject, JsonValue } from './json.ts';
export {
  messageText,
  messageToolCalls,
  type AssistantMessage,
  type AssistantPart,
  type MediaPart,
  type ModelMessage,
  type ToolResultPart,
  type UserMessage,
} from './message.ts';
export { takeParameters } from './model-string.ts';
export { Models, type ModelsOptions } from './models.ts';
export type {
  FinishReason,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ModelTokens,
  ModelTool,
  ModelUsage,
} from './request.ts';
