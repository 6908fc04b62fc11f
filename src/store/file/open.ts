// Opens the file engine. Stores of one process on one folder share one journal; other processes are refused.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { choiceOption, InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import { EngineStore } from '../engine/engine-store.ts';
import { compressionOption } from '../journal/compression-option.ts';
import { MemoryEngine } from '../memory/engine.ts';
import type { Store } from '../store.ts';
import { FileJournal, type JournalSettings } from './journal.ts';
import type { OpenFileOptions } from './options.ts';

interface Shared {
  readonly journal: FileJournal;
  readonly settings: string;
  users: number;
}

const sharedByFolder = new Map<string, Shared>();
const closingByFolder = new Map<string, Promise<void>>();

/** Opens the store in a folder, which is made if it is missing. */
export async function openFile(location: string, options: OpenFileOptions = {}): Promise<Store> {
  const { clock = systemClock } = options;
  const settings = settingsOf(options);
  if (location === '') throw new InvalidOptionError("openStore: 'file:' needs a folder, such as 'file:./state'.");
  const folder = canonical(resolve(location));
  await closingByFolder.get(folder);
  const shared = sharedOn(folder, settings);
  const { journal } = shared;
  shared.users++;
  return new EngineStore(
    new MemoryEngine({
      features: {
        engine: 'file',
        durable: true,
        shared: false,
        remote: false,
        synchronousReads: true,
        volatileMessages: true,
      },
      contents: () => journal.contents,
      changer: journal,
      clock,
      verify: () => journal.verify(),
      replace: (contents) => journal.replace(contents),
      size: () => journal.size(),
      close: async () => {
        if (--shared.users > 0) return;
        sharedByFolder.delete(folder);
        const closing = journal.close().finally(() => closingByFolder.delete(folder));
        closingByFolder.set(folder, closing);
        await closing;
      },
    }),
  );
}

function sharedOn(folder: string, settings: JournalSettings): Shared {
  const text = JSON.stringify(settings);
  let shared = sharedByFolder.get(folder);
  if (shared === undefined) {
    shared = { journal: new FileJournal(folder, settings), settings: text, users: 0 };
    sharedByFolder.set(folder, shared);
  }
  if (shared.settings !== text)
    throw new InvalidOptionError(
      `openStore: ${folder} is open in this process with other options: ${shared.settings}. Open it with the same.`,
      { folder },
    );
  return shared;
}

/** One name for a folder, whichever way leads to it. */
function canonical(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(canonical(parent), basename(path));
}

function settingsOf(options: OpenFileOptions): JournalSettings {
  const where = 'The file store';
  refuseUnknownOptions(where, options, {
    format: true,
    compression: true,
    durability: true,
    keepChanges: true,
    clock: true,
    minJournalBytes: true,
  });
  const { format = 'json', compression = false, durability = 'full', keepChanges, minJournalBytes } = options;
  return {
    packing: {
      format: choiceOption(where, 'format', format, ['json', 'msgpack']),
      compression: compressionOption(where, compression),
    },
    durability: choiceOption(where, 'durability', durability, ['full', 'relaxed']),
    keepChanges:
      keepChanges === undefined
        ? undefined
        : wholeNumberOption(where, 'keepChanges', keepChanges, 0, Number.MAX_SAFE_INTEGER),
    minJournalBytes,
  };
}
