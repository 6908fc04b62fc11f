// Suggests the intended name for a misspelt one, for error messages.

const maxLength = 200;

/** The most similar names, best first; empty if none is similar. */
export function closest(given: string, names: Iterable<string>, max = 1): string[] {
  const wanted = folded(given);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  return (
    [...names]
      // Comparing is expensive, so names of very different length are skipped.
      .filter((name) => Math.abs(name.length - given.length) <= allowed && wanted.length <= maxLength)
      .map((name) => ({ name, distance: distance(wanted, folded(name)) }))
      .filter((found) => found.distance <= allowed)
      .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
      .slice(0, max)
      .map(({ name }) => name)
  );
}

/** ` Did you mean X?` with a leading space, or an empty string. */
export function didYouMean(given: string, names: Iterable<string>): string {
  const [name] = closest(given, names);
  return name === undefined ? '' : ` Did you mean ${name}?`;
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '_');
}

/** The Damerau–Levenshtein distance. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1;
      let least = Math.min(
        (last[column] as number) + 1,
        (next[column - 1] as number) + 1,
        (last[column - 1] as number) + changed,
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        least = Math.min(least, (before[column - 2] as number) + 1);
      next.push(least);
    }
    before = last;
    last = next;
  }
  return last[b.length] as number;
}
