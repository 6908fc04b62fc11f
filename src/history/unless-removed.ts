// Whoever goes through all chains meets some that are removed meanwhile. Nothing of them is left to look at.
import { HistoryUnknownChainError } from './errors.ts';

/** What an action returns, or undefined if the chain it looks at was removed. */
export async function unlessRemoved<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof HistoryUnknownChainError) return undefined;
    throw error;
  }
}
