// The door of this layer: what the layers below it in docs/architecture.md may use of the state facade. Everything else is its own.
export { AgentStateStore } from './agents/agent-state-store.ts';
export { JobAgents } from './agents/kit-jobs.ts';
export { callJournalOf } from './tools/kit-calls.ts';
export { ToolStateManager } from './tools/tool-state-manager.ts';
export { JobWorkflows } from './workflows/kit-jobs.ts';
export { WorkflowStateManager } from './workflows/workflow-state-manager.ts';
export { statePartOf, stateParts } from './foundation/parts.ts';
export { StateManager } from './manager/manager.ts';
export { KnowledgeStateManager } from './knowledge/knowledge-state-manager.ts';
export { SpeechStateManager } from './speech/speech-state-manager.ts';
export { kitRolesOf } from './teams/kit-roles.ts';
export { OrchestrationStateManager } from './teams/orchestration-state-manager.ts';
export { WorkflowStatus } from './workflows/records.ts';
export { AudioSessionStatus } from './speech/records.ts';
