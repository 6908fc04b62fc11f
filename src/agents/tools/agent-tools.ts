// The tools an agent was given: those that never change, and lists that do.
import { reservedFor } from '../../workspace/door.ts';
import { AgentSettingsError } from '../errors.ts';
import { sourceOf, type ToolSource } from './tool-source.ts';
import { knownTools, type AgentTools, type KnownTool } from './toolbox.ts';

interface Part {
  readonly internal: boolean;
  readonly source: ToolSource | undefined;
  readonly tools: readonly KnownTool[];
}

export class AgentToolbox {
  readonly #role: string;
  readonly #parts: readonly Part[];
  readonly #sources: ReadonlySet<ToolSource>;
  #lists: readonly unknown[] = [];
  #tools: readonly KnownTool[] = [];

  constructor(role: string, tools: AgentTools, internalTools: AgentTools) {
    this.#role = role;
    this.#parts = [...partsOf(role, tools, false), ...partsOf(role, internalTools, true)];
    this.#tools = this.#parts.flatMap((part) => part.tools);
    this.#lists = this.#current();
    this.#sources = new Set(
      this.#parts.flatMap((part) => [
        ...(part.source === undefined ? [] : [part.source]),
        ...part.tools.flatMap(({ source }) => sourceOf(source) ?? []),
      ]),
    );
    refuseTwins(role, this.#tools);
  }

  /** As they are now; the same array as long as nothing has changed. */
  get all(): readonly KnownTool[] {
    const lists = this.#current();
    if (lists.every((list, index) => list === this.#lists[index])) return this.#tools;
    this.#lists = lists;
    const own = new Set(this.#parts.flatMap(({ source, tools }) => (source === undefined ? tools : [])));
    const taken = new Set([...own].map(({ name }) => name));
    this.#tools = this.#parts.flatMap(({ source, internal, tools }) =>
      source === undefined
        ? tools
        : knownTools(this.#role, source.current(), internal).filter(({ name }) => {
            if (!taken.has(name)) return taken.add(name);
            // A list that changes later must not replace what the application gave.
            process.emitWarning(`The agent '${this.#role}' already has a tool '${name}'; the new one is left out.`, {
              type: 'StatekWarning',
            });
            return false;
          }),
    );
    return this.#tools;
  }

  /** Where they come from, if they come from somewhere. */
  get sources(): ReadonlySet<ToolSource> {
    return this.#sources;
  }

  #current(): readonly unknown[] {
    return this.#parts.map(({ source }) => source?.current());
  }
}

/** A list that changes counts as such where it is given whole; its members alone stay what they are. */
function partsOf(role: string, given: AgentTools, internal: boolean): Part[] {
  const whole = sourceOf(given);
  if (whole !== undefined) return [{ internal, source: whole, tools: knownTools(role, whole.current(), internal) }];
  if (!Array.isArray(given)) return [{ internal, source: undefined, tools: knownTools(role, given, internal) }];
  return (given as readonly object[]).map((member) => {
    const source = Array.isArray(member) ? sourceOf(member) : undefined;
    const members = source?.current() ?? (Array.isArray(member) ? (member as never[]) : [member as never]);
    return { internal, source, tools: knownTools(role, members, internal) };
  });
}

function refuseTwins(role: string, tools: readonly KnownTool[]): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (!/^[A-Za-z_$][\w$]*$/.test(name))
      throw new AgentSettingsError(`The agent '${role}' has a tool '${name}', which cannot be a name in code.`, {
        name,
      });
    const reserved = reservedFor(name);
    if (reserved !== undefined)
      throw new AgentSettingsError(
        `The agent '${role}' has a tool '${name}', which cannot be used: ${reserved}. Choose another name.`,
        { name },
      );
    if (names.has(name)) throw new AgentSettingsError(`The agent '${role}' has two tools '${name}'.`, { name });
    names.add(name);
  }
}
