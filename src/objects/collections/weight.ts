// How full a part is. One number bounds both the elements and the text of a part: an element weighs what its JSON text
// is long, but never less than a 128th of a full part.

/** What a part may weigh: 128 small elements, or about 8 KB of text. One element alone may weigh more. */
export const partCapacity = 8192;

/** What a collection may weigh to be kept whole in its own record: 64 small elements, or about 4 KB of text. */
export const inlineCapacity = 4096;

/** A part below this looks for a neighbour to merge with. */
export const partMinimum = partCapacity / 4;

/** A collection in parts goes back into its own record below this; far from the limit, so that it does not swing. */
export const inlineAgain = inlineCapacity / 4;

const elementMinimum = 64;

export function weightOf(element: unknown): number {
  return typeof element === 'number' ? elementMinimum : Math.max(elementMinimum, textLength(element) + 1);
}

export function totalWeight(elements: readonly unknown[]): number {
  let total = 0;
  for (let index = 0; index < elements.length; index++) total += weightOf(elements[index]);
  return total;
}

/**
 * Cuts elements into parts. `even` leaves room in each, for changes anywhere; `append` fills one after the other, for a
 * list that grows at its end.
 */
export function packElements(elements: readonly unknown[], fill: 'even' | 'append'): (readonly unknown[])[] {
  if (elements.length === 0) return [];
  const total = totalWeight(elements);
  if (total <= partCapacity) return [elements];
  const target = fill === 'append' ? partCapacity : total / Math.ceil(total / (partCapacity * (7 / 8)));
  const packed: unknown[][] = [];
  let start = 0;
  let weight = 0;
  elements.forEach((element, index) => {
    const added = weightOf(element);
    if (index > start && (weight >= target || weight + added > partCapacity)) {
      packed.push(elements.slice(start, index));
      start = index;
      weight = 0;
    }
    weight += added;
  });
  packed.push(elements.slice(start));
  return packed;
}

// About the length of the value's JSON text. Escapes are not counted: looking into long strings would cost more than
// the parts it would save.
function textLength(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2;
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 1e6 ? 6 : 18;
    case 'object': {
      if (value === null) return 4;
      let length = 2;
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index++) length += textLength(value[index]) + 1;
      } else {
        for (const name in value) length += name.length + 4 + textLength((value as Record<string, unknown>)[name]);
      }
      return length;
    }
    default:
      return 5;
  }
}
