// `statek encrypt`: a store that has data, into a new one that is encrypted.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Store } from '../../../store/store.ts';
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { harmless } from '../../output/style.ts';
import { fileReason } from '../../output/file-errors.ts';
import { moveFacts, moveOptions, skipDamagedOption } from './moving.ts';
import { useLocation } from './open-store.ts';

export const encrypt: Command = {
  name: 'encrypt',
  group: 'Maintain',
  summary: 'copy a store into an empty one whose values are encrypted with your key',
  details: `The key has 32 bytes, as they are or in base64, in a file that only you can read: openssl rand -base64 32 > key. Stop the workers
before. All or nothing: if it is interrupted, the other store stays empty and it can be repeated. Then open the new store with
openEncrypted(store, { key }), and remove the old one and its backups. A store that is encrypted already gets a new data key.`,
  arguments: [
    { syntax: '<from>', description: 'a folder, a .db file, postgres://… or redis://…' },
    { syntax: '<to>', description: 'the same; it must be empty, and is made if it is missing' },
  ],
  options: [
    { flags: '--key-file <file>', description: 'the key of the new store' },
    { flags: '--from-key-file <file>', description: 'the key of the first store, if it is encrypted' },
    skipDamagedOption,
  ],
  examples: [['encrypt ./data ./encrypted --key-file key', 'encrypt what is in ./data']],
  async run(session, given) {
    const { out, folder } = session;
    const key = keyIn(folder, given.optional('keyFile'));
    if (key === undefined) throw new UsageError('statek encrypt needs --key-file FILE: the key of the new store.');
    const fromKey = keyIn(folder, given.optional('fromKeyFile'));
    const { encryptStore } = await import('../../../store/backup/encrypt-store.ts');
    const { openEncrypted } = await import('../../../store/around/encrypted-store.ts');
    const opened = async (store: Store): Promise<Store> =>
      fromKey === undefined ? store : openEncrypted(store, { key: fromKey });
    const { report, from, to } = await useLocation(session, given.text('from'), 'read', (source, sourceName) =>
      useLocation(session, given.text('to'), 'fill', async (target, targetName) => ({
        from: sourceName,
        to: targetName,
        report: await encryptStore(await opened(source), target, {
          ...moveOptions(session, 'encrypt'),
          skipDamaged: given.flag('skipDamaged'),
          key,
        }),
      })),
    );
    if (out.isJson) out.json({ from, to, ...report });
    else
      out.facts([['from', from], ['to', to], ...moveFacts(report), ['left out', harmless(report.damaged.join('\n'))]]);
  },
};

/** A key of 32 bytes, or their base64. What is in the file is never part of an error. */
function keyIn(folder: string, file: string | undefined): Uint8Array | undefined {
  if (file === undefined) return undefined;
  let bytes: Buffer;
  try {
    bytes = readFileSync(resolve(folder, file));
  } catch (error) {
    throw new UsageError(
      `Cannot read the key in ${file}: ${fileReason(error) ?? (error as Error).message}.`,
      {},
      error,
    );
  }
  const key = bytes.length === 32 ? bytes : Buffer.from(bytes.toString('latin1').trim(), 'base64');
  if (key.length !== 32)
    throw new UsageError(`${file} has no key: 32 bytes, or those in base64. Make one with openssl rand -base64 32.`);
  return key;
}
