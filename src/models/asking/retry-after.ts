// Parses how long a provider asks to wait from its headers: seconds, a date, or milliseconds.

/** Milliseconds from now, never negative; undefined without such a header. */
export function retryAfter(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const precise = headers?.['retry-after-ms'];
  if (precise !== undefined && isNumber(precise)) return Number(precise);
  const text = headers?.['retry-after']?.trim();
  if (text === undefined || text === '') return undefined;
  if (isNumber(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function isNumber(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text.trim());
}
