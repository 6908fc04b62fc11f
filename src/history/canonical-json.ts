// Canonical JSON for hashing: the same text for the same value, whatever the order of its members (PostgreSQL reorders
// them).
import { hash } from 'node:crypto';

export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let text = '';
  for (const name of Object.keys(value).toSorted())
    text += `${text === '' ? '' : ','}${quoted(name)}:${canonicalJson((value as Record<string, unknown>)[name])}`;
  return `{${text}}`;
}

// Records have the same few names again and again.
const quotedNames = new Map<string, string>();
const maxQuotedNames = 500;

function quoted(name: string): string {
  let text = quotedNames.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    if (quotedNames.size < maxQuotedNames) quotedNames.set(name, text);
  }
  return text;
}

export function hashJson(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}
