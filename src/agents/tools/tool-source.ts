// Lists of tools that change by themselves, such as those of a server that learns new ones. New jobs get the list as it
// then is; jobs that exist keep the tools they were made with.

type ToolFunction = (...parameters: never[]) => unknown;

export interface ToolSource {
  /** The tools as they are now; the same array as long as nothing has changed. */
  current(): readonly ToolFunction[];
  /** Resolves when a change that was heard of is in `current`. */
  settled(): Promise<void>;
  /** Somebody uses the tools; what they need stays open until everyone has let go. */
  hold(): () => Promise<void>;
}

const sources = new WeakMap<object, ToolSource>();

/** Remembers where a list of tools, or one of them, comes from. */
export function comesFrom<Listed extends object>(listed: Listed, source: ToolSource): Listed {
  sources.set(listed, source);
  return listed;
}

export function sourceOf(listed: object): ToolSource | undefined {
  return sources.get(listed);
}
