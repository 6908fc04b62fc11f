// Keys and records as people see them in the tables. jsonb cannot hold NUL or lone surrogates, so both are replaced by
// placeholder characters here; the store reads another column, which has the exact text.
import { decodeKey, type EncodedKey, type KeyPart } from '../../key.ts';

const nulPlaceholder = '\u2400';
const surrogatePlaceholder = '\ufffd';

/** JSON text that jsonb accepts. */
export function acceptableJson(json: string): string {
  // JSON.stringify writes whole pairs as they are, so an escaped surrogate is always a lone one.
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return json.replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g, (escape) => {
    if (escape === '\\u0000') return nulPlaceholder;
    return escape.startsWith('\\ud') ? surrogatePlaceholder : escape;
  });
}

/** The parts of a key as a JSON array. */
export function readableKey(key: EncodedKey): string {
  return JSON.stringify(decodeKey(key).map(readablePart));
}

function readablePart(part: KeyPart): null | boolean | number | string {
  if (part instanceof Date) return part.toISOString();
  if (part instanceof Uint8Array) return Buffer.from(part).toString('hex');
  switch (typeof part) {
    case 'string':
      return readableText(part);
    case 'bigint':
      return part.toString();
    case 'number':
      return Number.isFinite(part) ? part : String(part);
    default:
      return part;
  }
}

export function readableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', nulPlaceholder);
}
