// Canonical JSON for hashing: the same text for the same value, whatever the order of its members (PostgreSQL reorders
// them).
import { hash } from 'node:crypto';

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

export function hashJson(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}
