// Processes many items with bounded concurrency.

/** Calls `action` for each item, at most `limit` at a time. */
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
