// LLM_TOOLS_SCOPE: which tools a model gets as formal tools of its provider: `[SYSTEM|APPLICATION|ALL] [+a,b] [-c]`.

export interface ToolsScope {
  readonly base: 'NONE' | 'SYSTEM' | 'APPLICATION' | 'ALL';
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export const toolsScopeRule = "'SYSTEM', 'APPLICATION' or 'ALL', then names to add and leave out, as in 'ALL +a,b -c'";

/** Undefined if the text is no scope. */
export function parseToolsScope(text: string): ToolsScope | undefined {
  const words = text
    .trim()
    .replaceAll(/\s*,\s*/g, ',')
    .replaceAll(/([+-])\s+/g, '$1')
    .split(/\s+/);
  const base = (['NONE', 'SYSTEM', 'APPLICATION', 'ALL'] as const).find((name) => name === words[0]?.toUpperCase());
  const lists = words.slice(base === undefined ? 0 : 1);
  if (lists.some((word) => !/^[+-][\w$]+(,[\w$]+)*$/.test(word))) return undefined;
  const named = (sign: string): string[] =>
    lists.filter((word) => word.startsWith(sign)).flatMap((word) => word.slice(1).split(','));
  return { base: base ?? 'NONE', added: named('+'), removed: named('-') };
}

export function isInScope(scope: ToolsScope, tool: { readonly name: string; readonly system: boolean }): boolean {
  if (scope.removed.includes(tool.name)) return false;
  if (scope.added.includes(tool.name) || scope.base === 'ALL') return true;
  return scope.base === (tool.system ? 'SYSTEM' : 'APPLICATION');
}
