// The public list of statek/state: the managers of state, and what they give and take. By room.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';

// Where managers keep their rows, and errors they share.
export type { ChangeCallback, ChangeContext, EventOptions } from './state/foundation/subscribing.ts';
export type { PlaceOptions } from './state/foundation/place.ts';
export {
  StateArgumentError,
  StateConflictError,
  StateNotFoundError,
  StateTransitionError,
} from './state/foundation/errors.ts';

// Backends.
export {
  FileBackend,
  MemoryBackend,
  RedisBackend,
  type BackendName,
  type FileBackendOptions,
  type RedisBackendOptions,
  type StateBackend,
} from './state/backends/backends.ts';
export type { BackendSelection } from './state/backends/selected.ts';

// Named values.
export {
  StateManager,
  type ListKeysOptions,
  type SaveManyOptions,
  type SaveOptions,
  type SaveResult,
  type SubscribeOptions,
} from './state/manager/manager.ts';
export type { StateConfig } from './state/manager/config.ts';
export type { KeyPage } from './state/manager/entries.ts';
export type { KeyPattern } from './state/manager/pattern.ts';
export type { StateEntry, StateLookup } from './state/manager/rows.ts';
export type { StateEncryption } from './state/manager/sealing.ts';
export type {
  StateCallback,
  StateChangeContext,
  StateSubscription,
  SubscriptionFailure,
} from './state/manager/subscriptions.ts';
export { StateDecryptionError, StateVersionError } from './state/manager/errors.ts';

// Agents.
export { AgentStateStore } from './state/agents/agent-state-store.ts';
export type { AgentStateStoreOptions, SavedPageOptions } from './state/agents/agent-state-store.ts';
export { AgentRecoveryManager } from './state/agents/agent-recovery-manager.ts';
export type {
  AgentRecoveryManagerOptions,
  RecoveryBackoff,
  RecoveryHandler,
} from './state/agents/agent-recovery-manager.ts';
export type {
  AgentCheckpoint,
  AgentRecovery,
  AgentSnapshot,
  AgentSnapshotInfo,
  FailureStats,
  NewAgentCheckpoint,
  NewAgentSnapshot,
  RecoveryVerdict,
  SavedOfAgent,
} from './state/agents/records.ts';
export { AgentRecoveryError } from './state/agents/errors.ts';

// Tools.
export { ToolStateManager } from './state/tools/tool-state-manager.ts';
export type {
  ExecutionEnd,
  HistoryOptions,
  HistoryPage,
  ToolStateManagerOptions,
} from './state/tools/tool-state-manager.ts';
export {
  ToolExecutionStatus,
  type CachedResult,
  type NewToolExecution,
  type RetryState,
  type ToolCacheEntry,
  type ToolExecution,
  type ToolStats,
} from './state/tools/records.ts';
export type { CacheIdentity, NewCacheEntry } from './state/tools/result-cache.ts';
export type { ClaimedRetry, NewRetryState, RetryClaim } from './state/tools/retries.ts';
export type { StatsFilter, StatsGroup } from './state/tools/statistics.ts';

// Workflows.
export { WorkflowStateManager } from './state/workflows/workflow-state-manager.ts';
export type {
  NewCheckpoint,
  NewWorkflow,
  WorkflowListOptions,
  WorkflowPage,
  WorkflowStateManagerOptions,
} from './state/workflows/workflow-state-manager.ts';
export {
  StepStatus,
  WorkflowStatus,
  type StepReport,
  type StepState,
  type WorkflowCheckpoint,
  type WorkflowProgress,
  type WorkflowState,
} from './state/workflows/records.ts';

// Knowledge.
export {
  KnowledgeStateManager,
  type IndexOptions,
  type KnowledgePageOptions,
  type KnowledgeStateManagerOptions,
} from './state/knowledge/knowledge-state-manager.ts';
export {
  IndexingStatus,
  SyncStatus,
  type IndexedDocument,
  type IndexingProgress,
  type IndexingReport,
  type ItemContext,
  type ItemHandler,
  type ItemState,
  type KnowledgeBaseState,
  type KnowledgeBaseSummary,
  type ReportedProgress,
  type ReportedSource,
  type SearchResult,
  type SearchResults,
  type SourceItem,
  type SourceState,
} from './state/knowledge/records.ts';

// Speech.
export { SpeechLateInputError, SpeechSessionEndedError } from './state/speech/errors.ts';
export {
  AudioSessionStatus,
  EndReason,
  StreamingMode,
  TranscriptionStatus,
  UtteranceStatus,
  type AddedChunk,
  type AudioSession,
  type BargeIn,
  type Gap,
  type NewAudioSession,
  type ReportedConversation,
  type ReportedStt,
  type ReportedTts,
  type SpeechEvent,
  type SttState,
  type Transcription,
  type TranscriptSegment,
  type TtsState,
  type Utterance,
  type VoiceConversationState,
} from './state/speech/records.ts';
export {
  SpeechStateManager,
  type BargeInOptions,
  type PlaybackProgress,
  type SpeechStateManagerOptions,
} from './state/speech/speech-state-manager.ts';

// Teams.
export { TaskOwnerError } from './state/teams/errors.ts';
export {
  OrchestrationStateManager,
  type ClaimTaskOptions,
  type OrchestrationStateManagerOptions,
  type TaskEndOptions,
  type TeamPage,
  type WatchTeamOptions,
} from './state/teams/orchestration-state-manager.ts';
export {
  AgentAvailability,
  TaskPriority,
  TeamTaskStatus,
  type AgentCoordinationState,
  type ClaimedTask,
  type NewAgent,
  type NewTask,
  type NewTeam,
  type ReportedAgentStatus,
  type TaskQueueState,
  type TeamEvent,
  type TeamState,
  type TeamSummary,
  type TeamTask,
} from './state/teams/records.ts';
