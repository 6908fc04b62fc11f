// The door of this layer: what the layers below it in docs/architecture.md may use of agents. Everything else is its own.
export type { SubmitOptions } from './agents.ts';
export { JobDef } from './definition.ts';
export type { Example } from './examples/example.ts';
export { Job } from './job.ts';
export { Agent } from './kinds/agent.ts';
export { Memory } from './memory/memory.ts';
export { openServices, type Services, type ServicesOptions } from './services.ts';
export type { SettingOptions } from './settings/settings.ts';
