// The tools of an agent as guest code finds them: services of the kit, so that any process can go on with a program that
// holds them, and variables of every workspace of the agent.
import { crossesByHandle } from '../../workspace/door.ts';
import type { AgentDefinition } from '../kinds/agent-definition.ts';
import type { CompiledAgent } from '../compiled-agent.ts';
import { bound } from './tool.ts';
import type { MemoryRuntime } from './memory-tools.ts';
import type { SystemRuntime } from './system-tools.ts';
import type { KnownTool } from './toolbox.ts';

export class BoundTools {
  readonly #agent: CompiledAgent;
  readonly #runtime: SystemRuntime & MemoryRuntime;
  readonly #services: Map<string, object>;
  readonly #context: ReadonlyMap<string, object>;
  #made: { readonly from: readonly KnownTool[]; readonly vars: Readonly<Record<string, object>> } | undefined;

  /** Every tool that is bound is added to `services`, and none is removed: programs may hold it. */
  constructor(agent: CompiledAgent, runtime: SystemRuntime & MemoryRuntime, services: Map<string, object>) {
    this.#agent = agent;
    this.#runtime = runtime;
    this.#services = services;
    this.#context = contextOf(agent.agent);
    for (const [name, object] of this.#context) services.set(`${agent.role}.context.${name}`, object);
  }

  /** What a new program finds: the tools, and what the application's code names of the private context. */
  varsWith(context: readonly string[]): Readonly<Record<string, object>> {
    const { tools } = this.#agent.agent;
    if (this.#made?.from !== tools) this.#made = { from: tools, vars: this.#bind(tools) };
    const { vars } = this.#made;
    const named = [...this.#agent.ownContextNames(), ...context].flatMap((name) => {
      const object = this.#context.get(name);
      return object === undefined || Object.hasOwn(vars, name) ? [] : [[name, object] as const];
    });
    return { ...vars, ...Object.fromEntries(named) };
  }

  #bind(tools: readonly KnownTool[]): Readonly<Record<string, object>> {
    const vars: Record<string, object> = {};
    const { agent } = this.#agent;
    for (const definition of [...agent.systemTools(this.#agent, this.#runtime), ...tools]) {
      const called = bound(definition, {
        role: agent.role,
        language: this.#agent.language,
        getAdapter: (name) => agent.getAdapter(name),
      });
      this.#services.set(`${agent.role}.${definition.name}`, called);
      vars[definition.name] = called;
    }
    return vars;
  }
}

/**
 * The objects of an agent's private context, by their names without the underscores before them. The application hands
 * them to programs by naming them in a warmup; the rest of the context is for tools alone.
 */
function contextOf(agent: AgentDefinition): Map<string, object> {
  return new Map(
    Object.entries(agent.options.context ?? {}).flatMap(([key, value]) => {
      const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
      return isObject && crossesByHandle(value) ? [[key.replace(/^__?/, ''), value] as const] : [];
    }),
  );
}
