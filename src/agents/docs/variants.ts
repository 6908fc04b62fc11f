// Two things a text may hold that are not for every reader: wordings for different readers, and rules about members.

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

/** Takes STATEK-ACL lines, and the rules that follow one, out of a text. */
export function takeAcl(text: string): { readonly text: string; readonly acl: readonly string[] } {
  const acl: string[] = [];
  const kept: string[] = [];
  let inRules = false;
  for (const line of text.split('\n')) {
    const [, rule] = /^\s*STATEK-ACL:?(.*)$/.exec(line) ?? [];
    if (rule !== undefined) {
      inRules = true;
      if (rule.trim() !== '') acl.push(rule.trim());
    } else if (inRules && /^\s*[+-]\s*[\w$]*\*?\s*(:.*)?$/.test(line)) {
      acl.push(line.trim());
    } else {
      inRules = false;
      kept.push(line);
    }
  }
  return { text: kept.join('\n'), acl };
}
