// Where agents are open. An agent is a definition and knows nothing of kits; what is asked of the agent itself, a call of one
// of its tasks or a reminder, is carried out in the kits it is open in, and they are found here.
import type { AgentDefinition } from './kinds/agent-definition.ts';
import type { Reminder } from './reminder.ts';
import type { TaskHost } from './tasks/task-host.ts';

/** Something an agent is open in. */
export interface AgentHost {
  readonly tasks: TaskHost;
  /** Keeps what agents of a role are reminded of; undefined forgets it. */
  keepReminder(role: string, reminder: Reminder | undefined): Promise<void>;
}

const hosts = new WeakMap<AgentDefinition, Set<AgentHost>>();

/** The agent is open there from now on; call what this returns when that ends. */
export function openIn(agent: AgentDefinition, host: AgentHost): () => void {
  const open = hosts.get(agent) ?? new Set();
  hosts.set(agent, open.add(host));
  return () => open.delete(host);
}

/** Where an agent is open, the oldest first: what is opened later changes nothing for those before it. */
export function hostsOf(agent: AgentDefinition): readonly AgentHost[] {
  return [...(hosts.get(agent) ?? [])];
}
