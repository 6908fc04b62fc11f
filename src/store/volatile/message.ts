// Volatile messages, and the encoding of a batch of them.

export interface VolatileMessage {
  readonly channel: string;
  readonly text: string;
}

/** Maximum length in UTF-16 code units; longer messages are dropped. */
export const maxMessageLength = 1_048_576;

export function encodeBatch(batch: readonly VolatileMessage[]): string {
  return JSON.stringify(batch.map(({ channel, text }) => [channel, text]));
}

/** Returns no messages if the text is not a batch. */
export function decodeBatch(body: string): readonly VolatileMessage[] {
  try {
    const rows = JSON.parse(body) as unknown;
    if (!Array.isArray(rows) || !rows.every(isRow)) return [];
    return rows.map(([channel, text]) => ({ channel, text }));
  } catch {
    return [];
  }
}

function isRow(row: unknown): row is readonly [string, string] {
  return Array.isArray(row) && row.length === 2 && row.every((part) => typeof part === 'string');
}
