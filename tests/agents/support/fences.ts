// Code as a model writes it.

/** Code in a fence. */
export function ts(...lines: readonly string[]): string {
  return `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;
}
