// Calls things as callers without types do, and says what they are told.
type Loose = (...given: readonly unknown[]) => unknown;

/** A function or class as JavaScript sees it. */
export function loose(target: object, name?: string): Loose {
  if (name === undefined) return target as Loose;
  return (target as Record<string, Loose>)[name]?.bind(target) as Loose;
}

/** The code and the message of the error that an action ends with. */
export async function refusal(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    const { code = 'no code', message } = error as { code?: string; message: string };
    return `${code}: ${message}`;
  }
  return 'nothing was refused';
}
