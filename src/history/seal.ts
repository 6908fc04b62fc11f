// Records that no commit hash covers (chains, tags, leftovers) have their own checksum, to detect corruption before acting
// on it.
import { canonicalJson } from './canonical-json.ts';
import { damaged } from './envelope.ts';
import { hash } from 'node:crypto';

export type Sealed<Value> = Value & { readonly seal: string };

export function seal<Value extends object>(value: Value): Sealed<Value> {
  return { ...value, seal: sealOf(value) };
}

/** Returns the record without its seal; throws if the seal does not match. */
export function unseal<Value extends object>(sealed: Sealed<Value>, where: string): Value {
  const { seal: found, ...members } = sealed;
  const value: object = members;
  if (found !== sealOf(value)) throw damaged(where, 'its contents do not match its checksum');
  return value as Value;
}

function sealOf(value: object): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 16);
}
