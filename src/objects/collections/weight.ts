// Measures how full a part is. One number bounds both elements and text: an element weighs the length of its JSON, but at
// least a 128th of a full part.

/** The capacity of a part: 128 small elements, or about 8 KB of text. A single element may exceed it. */
export const partCapacity = 8192;

/** The maximum weight of an inline collection: 64 small elements, or about 4 KB of text. */
export const inlineCapacity = 4096;

/** A part below this weight is merged with a neighbour. */
export const partMinimum = partCapacity / 4;

/** Below this weight a collection becomes inline again; far below the limit, so that it does not alternate. */
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
 * Splits elements into parts. `even` leaves room in each, for changes anywhere; `append` fills one after the other, for
 * lists that grow at the end.
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

// Approximates the length of the value's JSON. Ignores escapes, because scanning long strings would cost more than it
// saves.
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
