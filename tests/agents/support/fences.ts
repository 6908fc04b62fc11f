// Code as a model writes it.

/** Code in a fence. */
export function ts(...lines: readonly string[]): string {
  return `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;
}

/** Python in a fence. */
export function py(...lines: readonly string[]): string {
  return `\`\`\`python\n${lines.join('\n')}\n\`\`\``;
}
