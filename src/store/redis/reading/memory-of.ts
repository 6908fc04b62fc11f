// How much of the server's memory keys take.
import type { Session } from '../connections.ts';
import { isAnswered } from '../failure.ts';

/** Undefined if the server or the user's rights do not allow to ask. */
export async function memoryOf(session: Session, names: readonly string[]): Promise<number | undefined> {
  try {
    const sizes = await Promise.all(names.map((name) => session.command<number | null>(['MEMORY', 'USAGE', name])));
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  } catch (error) {
    if (isAnswered(error)) return undefined;
    throw error;
  }
}
