// The tools of an agent as guest code finds them: services of the kit, so that any process can go on with a program that
// holds them, and variables of every workspace of the agent.
import type { Agent } from '../agent.ts';
import { bound } from './tool.ts';
import type { MemoryRuntime } from './memory-tools.ts';
import type { SystemRuntime } from './system-tools.ts';

export function boundTools(
  agent: Agent,
  runtime: SystemRuntime & MemoryRuntime,
): { readonly services: Readonly<Record<string, object>>; readonly vars: Readonly<Record<string, object>> } {
  const services: Record<string, object> = {};
  const vars: Record<string, object> = {};
  for (const definition of [...agent.systemTools(runtime), ...agent.tools]) {
    const called = bound(definition, agent.role, (name) => agent.getAdapter(name));
    services[`${agent.role}.${definition.name}`] = called;
    vars[definition.name] = called;
  }
  return { services, vars };
}
