// How the values of entries are kept in rows: as they are, or packed and encrypted. Every row says how it was sealed, so rows that
// were written with different settings are read side by side. Keys and times are never encrypted: stores order rows by them.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { packText, unpack, type Packing } from '../../store/door.ts';
import { StateDecryptionError } from './errors.ts';

/** Encryption of values with AES-256-GCM, with keys that the application keeps. */
export interface StateEncryption {
  /** 32 bytes, or 32 bytes as base64 text. */
  readonly key: Uint8Array | string;
  /** Names the key in rows, so that it can be replaced later; default: `default`. */
  readonly keyId?: string | undefined;
  /** Keys that were used earlier, by their names: what they encrypted can still be read. */
  readonly previousKeys?: Readonly<Record<string, Uint8Array | string>> | undefined;
}

/** What an entry holds. */
export interface Contents {
  readonly value: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The same in a row. */
export type SealedContents =
  | Contents
  | {
      /** How it is packed, and the packed bytes as base64. */
      readonly packed: { readonly code: number; readonly data: string };
      /** The name of the key, and what decryption needs besides it. */
      readonly encrypted?: { readonly keyId: string; readonly nonce: string; readonly tag: string } | undefined;
    };

const algorithm = 'aes-256-gcm';
const where = 'The state manager: encryption';

export class Sealing {
  readonly #packing: Packing;
  readonly #keyId: string | undefined;
  readonly #keys: ReadonlyMap<string, KeyObject>;

  constructor(packing: Packing, encryption: StateEncryption | undefined) {
    this.#packing = packing;
    if (encryption !== undefined)
      refuseUnknownOptions(where, encryption, { key: true, keyId: true, previousKeys: true });
    const { key, keyId = 'default', previousKeys = {} } = encryption ?? {};
    this.#keyId = key === undefined ? undefined : keyId;
    const keys = Object.entries(previousKeys).map(([id, previous]) => [id, keyOf(id, previous)] as const);
    this.#keys = new Map(key === undefined ? keys : [...keys, [keyId, keyOf(keyId, key)] as const]);
    if (encryption !== undefined && key === undefined)
      throw new InvalidOptionError(`${where} needs a 'key' of 32 bytes.`);
  }

  seal(place: readonly string[], contents: Contents): SealedContents {
    const { format, compression } = this.#packing;
    if (this.#keyId === undefined && format === 'json' && compression === 'none') return contents;
    const { code, bytes } = packText(JSON.stringify([contents.value, contents.metadata]), this.#packing);
    if (this.#keyId === undefined) return { packed: { code, data: Buffer.from(bytes).toString('base64') } };
    const nonce = randomBytes(12);
    const cipher = createCipheriv(algorithm, this.#keys.get(this.#keyId) as KeyObject, nonce);
    cipher.setAAD(boundTo(place, code));
    const data = Buffer.concat([cipher.update(bytes), cipher.final()]).toString('base64');
    return {
      packed: { code, data },
      encrypted: { keyId: this.#keyId, nonce: nonce.toString('base64'), tag: cipher.getAuthTag().toString('base64') },
    };
  }

  open(place: readonly string[], sealed: SealedContents): Contents {
    if (!('packed' in sealed)) return sealed;
    const { packed, encrypted } = sealed;
    const bytes = Buffer.from(packed.data, 'base64');
    const plain = encrypted === undefined ? bytes : this.#decrypt(place, packed.code, bytes, encrypted);
    const [value, metadata] = JSON.parse(unpack({ code: packed.code, bytes: plain }) as string) as [
      unknown,
      Readonly<Record<string, unknown>>,
    ];
    return { value, metadata };
  }

  #decrypt(
    place: readonly string[],
    code: number,
    data: Buffer,
    { keyId, nonce, tag }: { readonly keyId: string; readonly nonce: string; readonly tag: string },
  ): Buffer {
    const name = place.at(-1) ?? '';
    const key = this.#keys.get(keyId);
    if (key === undefined)
      throw new StateDecryptionError(
        `The value of '${name}' is encrypted with the key '${keyId}', which was not given. Add it to encryption.previousKeys.`,
        { key: name, keyId },
      );
    try {
      const decipher = createDecipheriv(algorithm, key, Buffer.from(nonce, 'base64'), { authTagLength: 16 });
      decipher.setAAD(boundTo(place, code));
      decipher.setAuthTag(Buffer.from(tag, 'base64'));
      return Buffer.concat([decipher.update(data), decipher.final()]);
    } catch (cause) {
      throw new StateDecryptionError(
        `The value of '${name}' cannot be decrypted with the key '${keyId}': it was encrypted with another key of that name, or was changed.`,
        { key: name, keyId },
        cause,
      );
    }
  }
}

/** A value that is moved to another key, or said to be packed in another way, cannot be decrypted. */
function boundTo(place: readonly string[], code: number): Buffer {
  return Buffer.from(JSON.stringify([...place, code]), 'utf8');
}

function keyOf(id: string, given: Uint8Array | string): KeyObject {
  const key = typeof given === 'string' ? Buffer.from(given, 'base64') : Buffer.from(given);
  if (key.length === 32) return createSecretKey(key);
  throw new InvalidOptionError(
    `${where}: the key '${id}' has ${key.length} bytes, and AES-256 needs 32. Make one with crypto.randomBytes(32).`,
    { keyId: id },
  );
}
