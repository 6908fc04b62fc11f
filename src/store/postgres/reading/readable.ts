// What people see of keys and records in the tables. jsonb knows no NUL and no half of a surrogate pair, so both are
// shown as signs that stand for them; what the store reads back is kept beside it, exactly as it was written.
import { decodeKey, type EncodedKey, type KeyPart } from '../../key.ts';

const nulSign = '\u2400';
const brokenSign = '\ufffd';

/** JSON text that jsonb accepts. */
export function acceptableJson(json: string): string {
  // JSON.stringify writes whole pairs as they are, so an escaped surrogate is always a lone one.
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json;
  return json.replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g, (escape) => {
    if (escape === '\\u0000') return nulSign;
    return escape.startsWith('\\ud') ? brokenSign : escape;
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
  return text.toWellFormed().replaceAll('\0', nulSign);
}
