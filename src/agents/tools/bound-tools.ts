// The tools of an agent as guest code finds them: services of the kit, so that any process can go on with a program that
// holds them, and variables of every workspace of the agent.
import type { ParameterNames } from '../../workspace/call-options.ts';
import type { Agent } from '../agent.ts';
import { fieldsOf } from './parameters.ts';
import { bound } from './tool.ts';
import type { MemoryRuntime } from './memory-tools.ts';
import type { SystemRuntime } from './system-tools.ts';
import type { KnownTool } from './toolbox.ts';

export function boundTools(
  agent: Agent,
  runtime: SystemRuntime & MemoryRuntime,
): { readonly services: Readonly<Record<string, object>>; readonly vars: Readonly<Record<string, object>> } {
  const services: Record<string, object> = {};
  const vars: Record<string, object> = {};
  for (const definition of [...agent.systemTools(runtime), ...agent.tools]) {
    const called = bound(definition, agent, parameterNames(definition));
    services[`${agent.role}.${definition.name}`] = called;
    vars[definition.name] = called;
  }
  return { services, vars };
}

/** A plain function has parameters, where a tool has the fields of one object: those it needs come first. */
function parameterNames({ input, positional }: KnownTool): ParameterNames | undefined {
  const { names, required } = fieldsOf(input?.json ?? {});
  if (names.length === 0) return undefined;
  return positional
    ? { names, areMembers: false }
    : { names: [...required, ...names.filter((name) => !required.includes(name))], areMembers: true };
}
