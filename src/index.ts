// What applications use of Statek. Before adding a name: options, reports and pages that an application rarely names are in
// `statek/types`; authors of engines have `statek/store`, authors of models `statek/models`, tests `statek/testing`. What a name here
// mentions must be exported too, here or there.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';

// The kit
export { Statek } from './kit/statek.ts';
export type { StatekOptions } from './kit/options.ts';
export { openStore } from './store/open.ts';
export type { Store } from './store/store.ts';
export { Models } from './models/models.ts';
export { messageText } from './models/message.ts';
export { defineConfig, type StatekConfig } from './cli/application/define-config.ts';

// Agents
export { Agent } from './agents/kinds/agent.ts';
export type { AgentOptions } from './agents/kinds/agent-options.ts';
export { SupervisedAgent } from './agents/kinds/supervised-agent.ts';
export { DialogAgent } from './agents/kinds/dialog-agent.ts';
export { Coordinator, MessageDispatcher, Researcher } from './agents/kinds/coordinating-agents.ts';
export type { ChatStyle } from './agents/settings/chat-style.ts';
export type { JobLimits } from './agents/settings/limits.ts';
export { FinalCheck } from './agents/post-processors.ts';
export { describe } from './agents/docs/describe.ts';
export { JobDef } from './agents/definition.ts';

// Tools
export { tool, type ToolContext, type ToolOptions } from './agents/tools/tool.ts';
export { ref } from './agents/tools/schema.ts';
export type { CallContext } from './workspace/bridge/call-options.ts';

// Jobs
export type { Job } from './agents/job.ts';
export type { ScheduleOptions } from './jobs/schedules/schedules.ts';
export type { SubmitOptions } from './agents/agents.ts';
export type { JobOutcome, JobStatus } from './jobs/states.ts';
export type { JobError } from './jobs/rows.ts';
export type { JobFilter } from './jobs/journal/listing.ts';
export type { PendingFuture } from './jobs/journal/pending.ts';
export type { JobStreamEvent } from './jobs/journal/events.ts';
export type { JobCall } from './jobs/journal/call-journal.ts';
export type { ChatItem } from './agents/chat/item.ts';
export type { Worker, WorkerOptions } from './jobs/work/worker.ts';
export { program, type Driver, type JobMessage, type NextAction, type Program, type Turn } from './jobs/driver.ts';

// Tasks
export { events, Live, Versioned, view } from './agents/tasks/states.ts';
export type { TaskFunction } from './agents/tasks/task.ts';
export type { TaskState } from './agents/tasks/task-host.ts';

export { Disk } from './agents/tasks/disk.ts';
export { Cache } from './store/around/cached-store.ts';
export { openEncrypted } from './store/around/encrypted-store.ts';
export type { KVStore } from './store/key-value/key-value-store.ts';
export { storeOf } from './store/key-value/open.ts';

// Workspaces
export type { Workspace, WorkspaceCommit } from './workspace/workspace.ts';
export type { WorkspaceOptions } from './workspace/workspaces.ts';
export type { WorkspaceLimits } from './workspace/limits.ts';
export type { Step } from './workspace/step.ts';
export { CutMembers, GuestFunction, GuestInstance, GuestText } from './workspace/wire/decode.ts';
export { render } from './workspace/wire/render.ts';
export { expose, revoke } from './workspace/bridge/exposure.ts';
export type { Json, RetentionPolicy } from './history/history.ts';

// Durable objects
export { Durable, durable } from './objects/durable.ts';
export type { DurableClass, DurableOptions } from './objects/declaration.ts';
export { durableEnum, EnumMember } from './objects/enumeration.ts';
export { at, exists, find, idOf, index, pin, remove, transaction, unpin, type Space } from './objects/graph.ts';
export { no, type Query } from './objects/queries/query.ts';
export { tags } from './objects/queries/tags.ts';
export { weak, type WeakReference } from './objects/weak-reference.ts';

// Memory
export type { Memory } from './agents/memory/memory.ts';

// Errors that applications catch; all others are told apart by their `code`
export { StatekError } from './base/error.ts';
export { InvalidOptionError } from './base/options.ts';
export { KitClosedError, LimitError, NotDurableError, NotFoundError, WorkspaceBusyError } from './workspace/errors.ts';
export { JobFailedError, JobStateError, QueueOverloadedError, TenantLimitError } from './jobs/errors.ts';
export { NotLoadedError, ObjectConflictError, ObjectGoneError } from './objects/errors.ts';
export { TaskFailedError, TaskInputError } from './agents/errors.ts';
export { TaskClarifyError } from './agents/tasks/task.ts';
export { ModelError } from './models/errors.ts';
export { StoreUnavailableError } from './store/errors.ts';
