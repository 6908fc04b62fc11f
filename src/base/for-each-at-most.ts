// Work on many items, some of them at once.

/** Does something for each item, for so many at a time. */
export async function forEachAtMost<Item>(
  most: number,
  items: readonly Item[],
  action: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await action(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
}
