// Records that no hash binds (chains, tags, what is left to collect) carry a checksum of their own, so that a changed
// byte in one is noticed and not acted upon.
import { canonicalJson } from './canonical-json.ts';
import { damaged } from './envelope.ts';
import { hash } from 'node:crypto';

export type Sealed<Value> = Value & { readonly seal: string };

export function seal<Value extends object>(value: Value): Sealed<Value> {
  return { ...value, seal: sealOf(value) };
}

/** Returns the record without its seal, or refuses it. */
export function unseal<Value extends object>(sealed: Sealed<Value>, where: string): Value {
  const { seal: found, ...members } = sealed;
  const value: object = members;
  if (found !== sealOf(value)) throw damaged(where, 'its contents do not match its checksum');
  return value as Value;
}

function sealOf(value: object): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 16);
}
