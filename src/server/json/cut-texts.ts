// Cuts long texts in an answer: clients that show a list ask for what they can show.

/** The same JSON with no text longer than `max` characters. */
export function cutTexts(value: unknown, max: number): unknown {
  if (typeof value === 'string')
    return value.length <= max ? value : `${value.slice(0, max)}… (${value.length - max} more characters)`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, max));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutTexts(member, max)]));
}
