// The door of this layer: what the layers below it in docs/architecture.md may use of agents. Everything else is its own.
export type { SubmitOptions } from './agents.ts';
export { hashOf, JobDef } from './definition.ts';
export type { KnowledgeIndex } from './documents/knowledge-documents.ts';
export type { Example } from './examples/example.ts';
export { currentItems } from './chat/current.ts';
export { chatRows, definitionRows, type ChatItem, type ReplyItem, type StepItem } from './chat/item.ts';
export { Job, type JobActivity } from './job.ts';
export type { DeltaListener } from './loop/deltas.ts';
export { Agent } from './kinds/agent.ts';
export { Memory } from './memory/memory.ts';
export { openServices, type Services, type ServicesOptions } from './services.ts';
export type { SettingOptions } from './settings/settings.ts';
