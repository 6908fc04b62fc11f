// The managers of state whose subjects are the kit's own jobs: their tools, their steps, their snapshots.
import type { Services } from '../agents/door.ts';
import {
  AgentStateStore,
  callJournalOf,
  JobAgents,
  JobWorkflows,
  ToolStateManager,
  WorkflowStateManager,
} from '../state/door.ts';
import type { LanguageName } from '../workspace/door.ts';

/** What an agent is in a kit. */
export interface AgentSummary {
  readonly role: string;
  /** What other agents read of it. */
  readonly description: string;
  /** What its model writes. */
  readonly language: LanguageName;
  /** What its tools can do, in words of the application. */
  readonly capabilities: readonly string[];
}

/** Snapshots, checkpoints and recovery of a kit's jobs, and the agents it works for. */
export class KitAgents extends AgentStateStore {
  readonly #services: Services;

  /** @internal */
  constructor(services: Services) {
    const { store, jobs, agents } = services;
    const { clock } = jobs.system;
    super({ store, clock });
    this.over(new JobAgents(jobs, (row) => agents.job(row)));
    this.#services = services;
  }

  /** The agents this process works for, with what the settings and prompt files of this kit say about them. */
  list(): readonly AgentSummary[] {
    return this.#services.agents.all().map(({ role, description, language, agent: { capabilities } }) => ({
      role,
      description,
      language,
      capabilities,
    }));
  }
}

/** Managers over the jobs of a kit. */
export interface JobViews {
  readonly agents: KitAgents;
  readonly tools: ToolStateManager;
  readonly workflows: WorkflowStateManager;
  /** Ends what they do by themselves. */
  close(): Promise<void>;
}

export function jobViews(services: Services): JobViews {
  const { store, jobs, workspaces } = services;
  const { clock } = jobs.system;
  const agents = new KitAgents(services);
  const tools = new ToolStateManager({ store, clock }).over(callJournalOf(jobs));
  const workflows = new WorkflowStateManager({ store, clock }).over(new JobWorkflows(jobs));
  workspaces.onCallsLogged = (count) => tools.callsLogged(count);
  return {
    agents,
    tools,
    workflows,
    close: async () => {
      workspaces.onCallsLogged = undefined;
      await Promise.all([tools.close(), workflows.close(), agents.close()]);
    },
  };
}
