// The tools of an agent as guest code finds them: services of the kit, so that any process can go on with a program that
// holds them, and variables of every workspace of the agent.
import { crossesByHandle } from '../../workspace/bridge/exposure.ts';
import type { CompiledAgent } from '../compiled-agent.ts';
import { snakeCase } from '../docs/print/python-type.ts';
import { bound } from './tool.ts';
import type { MemoryRuntime } from './memory-tools.ts';
import type { SystemRuntime } from './system-tools.ts';
import type { KnownTool } from './toolbox.ts';

export class BoundTools {
  readonly #agent: CompiledAgent;
  readonly #runtime: SystemRuntime & MemoryRuntime;
  readonly #services: Map<string, object>;
  #made: { readonly from: readonly KnownTool[]; readonly vars: Readonly<Record<string, object>> } | undefined;

  /** Every tool that is bound is added to `services`, and none is removed: programs may hold it. */
  constructor(agent: CompiledAgent, runtime: SystemRuntime & MemoryRuntime, services: Map<string, object>) {
    this.#agent = agent;
    this.#runtime = runtime;
    this.#services = services;
  }

  /** What a new program finds. */
  get vars(): Readonly<Record<string, object>> {
    const { tools } = this.#agent.agent;
    if (this.#made?.from !== tools) this.#made = { from: tools, vars: this.#bind(tools) };
    return this.#made.vars;
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
    for (const [name, object] of warmupContext(this.#agent)) {
      if (Object.hasOwn(vars, name)) continue;
      this.#services.set(`${agent.role}.context.${name}`, object);
      vars[name] = object;
    }
    return vars;
  }
}

/**
 * What the agent's own warmup names of its private context, by its name without the underscores before it. The application
 * hands it to programs by writing it there; the rest of the context is for tools alone.
 */
function warmupContext(compiled: CompiledAgent): (readonly [string, object])[] {
  const used = compiled.warmupNames();
  return Object.entries(compiled.agent.options.context ?? {}).flatMap(([key, value]) => {
    const name = key.replace(/^__?/, '');
    const isUsed = used.has(name) || used.has(snakeCase(name));
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
    return isUsed && isObject && crossesByHandle(value) ? [[name, value] as const] : [];
  });
}
