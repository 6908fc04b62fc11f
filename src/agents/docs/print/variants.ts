// Wordings of a text for different readers.

/**
 * Chooses a wording of `VARIANTS/:default text/TOOL:text for agents`. The variants reach to the end of their paragraph;
 * the first of `names` that there is wins, then the default.
 */
export function chooseVariant(text: string, names: readonly string[] = ['TOOL']): string {
  return text.replaceAll(/VARIANTS\/(?=[\w-]*:)([\s\S]*?)(?=\n[ \t]*\n|$)/g, (_, list: string) => {
    const variants = new Map<string, string>();
    for (const part of list.split(/\/(?=[A-Z_-]*:)/)) {
      const colon = part.indexOf(':');
      variants.set(part.slice(0, colon).trim(), part.slice(colon + 1).trim());
    }
    const chosen = names.find((name) => variants.has(name)) ?? '';
    return variants.get(chosen) ?? '';
  });
}
