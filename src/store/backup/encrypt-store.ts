// Encrypts a store that has data: its contents are copied into an empty store, encrypted on the way.
import { refuseUnknownOptions } from '../../base/options.ts';
import {
  EncryptedStore,
  isKeyRow,
  newStoredCipher,
  refuseEncrypted,
  StoreKeyError,
} from '../around/encrypted-store.ts';
import type { Store } from '../store.ts';
import { copyItems, type CopyReport } from './copy-store.ts';
import type { ReadWholeOptions } from './progress.ts';

/** The key of the new store: 32 bytes, or the same in base64. */
export interface EncryptStoreOptions extends ReadWholeOptions {
  readonly key: Uint8Array | string;
}

/**
 * Fills an empty store with the contents of another one, encrypted with a key of yours; `openEncrypted(to, { key })` opens it. A
 * store that is encrypted already, opened with its key, gets a new data key. All or nothing, also if the process is killed; the
 * first store stays as it is, so remove it, and backups of it, when the new one works.
 */
export async function encryptStore(from: Store, to: Store, options: EncryptStoreOptions): Promise<CopyReport> {
  refuseUnknownOptions('encryptStore', options, { key: true, skipDamaged: true, onProgress: true, signal: true });
  const { key, ...rest } = options;
  const fresh = newStoredCipher(key);
  if (!(from instanceof EncryptedStore)) {
    if (from.features.encrypted === true)
      throw new StoreKeyError('encryptStore: give it the store that openEncrypted returned, and not one around it.');
    await refuseEncrypted(from);
  }
  const before = from instanceof EncryptedStore ? from.storedCipher() : undefined;
  return copyItems(from, to, rest, {
    value: (definition, at, value) => fresh.cipher.seal(definition, at, before?.open(definition, at, value) ?? value),
    leavesOut: isKeyRow,
    more: [fresh],
  });
}
