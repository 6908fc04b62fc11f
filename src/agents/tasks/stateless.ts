// Calls of tasks without a state. Each is a job of its own: in the kit the agent is open in, or in memory, in services that
// last as long as the call.
import type { AgentDefinition } from '../kinds/agent-definition.ts';
import { hostsOf } from '../open-agents.ts';
import { openServices, type Services } from '../services.ts';
import type { TaskPlace, TaskState } from './task-host.ts';

export const stateless: TaskState = {
  async submit(agent, submit) {
    const definition = agent as AgentDefinition;
    const [open] = hostsOf(definition);
    if (open !== undefined) {
      const place: TaskPlace = { host: open.tasks, workspace: undefined, share: undefined };
      return { place, job: await submit(place) };
    }
    const services = await inMemory(definition);
    const { agents } = services;
    const place: TaskPlace = {
      host: agents,
      workspace: undefined,
      share: (value) => agents.share(value),
      over: () => services.close(),
    };
    try {
      return { place, job: await submit(place) };
    } catch (error) {
      await services.close();
      throw error;
    }
  },
};

/** Services for one agent whose programs may keep anything, as long as this process lasts. */
export function inMemory(agent: AgentDefinition): Promise<Services> {
  return openServices({ store: 'memory:', live: true, agents: [agent], models: agent.options.models }, true);
}
