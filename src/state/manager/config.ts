// How a state manager is set up. Every option is honoured, or refused because it does not apply to the backend.
import {
  choiceOption,
  described,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
} from '../../base/options.ts';
import { compressionOption, type Packing } from '../../store/door.ts';
import { defaultKeepChanges, type StateBackend } from '../backends/backends.ts';
import { selectedBackend } from '../backends/selected.ts';
import type { PlaceOptions } from '../foundation/place.ts';
import type { StateEncryption } from './sealing.ts';
import type { SubscriptionFailure } from './subscriptions.ts';

/** What a state manager is set up with. */
export interface StateConfig extends Omit<PlaceOptions, 'persistence'> {
  /** `true` (the default): a change is durable when its promise resolves. `false`: it is so within `saveInterval`, or after `flush()`. */
  readonly autoSave?: boolean | undefined;
  /** The seconds after which a change is durable at the latest, without `autoSave`; default: 30. */
  readonly saveInterval?: number | undefined;
  /** The seconds after which entries expire; default: never. Can be given for each entry too. */
  readonly ttl?: number | undefined;
  /** How values are written; default: `json`. Values of either format are read. */
  readonly format?: 'json' | 'msgpack' | undefined;
  /** How values are compressed; `true` is `zstd`; default: not at all. */
  readonly compression?: boolean | 'gzip' | 'zstd' | undefined;
  /** Encrypts values and metadata; keys, times and sizes stay readable. */
  readonly encryption?: StateEncryption | undefined;
  /** The number of commits that subscribers can catch up with; default: 10,000. For the backends `memory` and `file`. */
  readonly keepChanges?: number | undefined;
  /** Called when a subscriber fails, or buffered changes could not be saved; default: a warning of the process. */
  readonly onError?: ((failure: SubscriptionFailure) => void) | undefined;
}

/** The same, checked and complete. */
export interface StateSettings {
  readonly place: PlaceOptions;
  readonly packing: Packing;
  readonly encryption: StateEncryption | undefined;
  readonly saveMilliseconds: number | undefined;
  readonly ttlMilliseconds: number | undefined;
  /** Commits that are kept by the manager itself; undefined if that is not its task. */
  readonly keepChanges: number | undefined;
  readonly report: (failure: SubscriptionFailure) => void;
}

const where = 'StateManager';

export function stateSettings(config: StateConfig): StateSettings {
  refuseUnknownOptions(where, config, {
    backend: true,
    store: true,
    keyPrefix: true,
    clock: true,
    autoSave: true,
    saveInterval: true,
    filePath: true,
    redisUrl: true,
    postgresUrl: true,
    ttl: true,
    format: true,
    compression: true,
    encryption: true,
    keepChanges: true,
    onError: true,
  });
  const { autoSave = true, saveInterval = 30, ttl, keyPrefix, clock, store } = config;
  if (typeof autoSave !== 'boolean')
    throw new InvalidOptionError(`${where}: option 'autoSave' must be true or false, not ${described(autoSave)}.`);
  if (keyPrefix !== undefined && typeof keyPrefix !== 'string')
    throw new InvalidOptionError(`${where}: option 'keyPrefix' must be a text, not ${described(keyPrefix)}.`);
  const { backend, isPackedByBackend, keepChanges } = backendOf(config);
  const packing: Packing = {
    format: choiceOption(where, 'format', config.format ?? 'json', ['json', 'msgpack']),
    compression: compressionOption(where, config.compression),
  };
  return {
    place: { store, backend, keyPrefix, clock },
    packing: isPackedByBackend ? { format: 'json', compression: 'none' } : packing,
    encryption: config.encryption,
    // With autoSave everything is durable at once, which is within any interval.
    saveMilliseconds: milliseconds('saveInterval', saveInterval, autoSave),
    ttlMilliseconds: ttl === undefined ? undefined : milliseconds('ttl', ttl, false),
    keepChanges,
    report: config.onError ?? warn,
  };
}

function backendOf(config: StateConfig): {
  readonly backend: StateBackend | undefined;
  readonly isPackedByBackend: boolean;
  readonly keepChanges: number | undefined;
} {
  const { backend: given, store, format, compression, encryption, keepChanges } = config;
  const isFile = given === 'file';
  // What is encrypted cannot be compressed, so the manager packs it before.
  const isPackedByBackend = isFile && encryption === undefined;
  const backend = selectedBackend(where, config, {
    ...(isPackedByBackend ? { format, compression } : {}),
    keepChanges,
  });
  const inMemory = backend === undefined ? store === undefined : backend.name === 'memory';
  refuseUnless(inMemory || isFile, 'keepChanges', keepChanges, "the backends 'memory' and 'file'");
  if (keepChanges !== undefined) wholeNumberOption(where, 'keepChanges', keepChanges, 0, Number.MAX_SAFE_INTEGER);
  return {
    backend,
    isPackedByBackend,
    keepChanges: inMemory ? (keepChanges ?? defaultKeepChanges) : undefined,
  };
}

function refuseUnless(applies: boolean, name: string, value: unknown, where_: string): void {
  if (applies || value === undefined) return;
  throw new InvalidOptionError(`${where}: option '${name}' is for ${where_}. Remove it, or select that backend.`, {
    name,
  });
}

/** Seconds as milliseconds, at least one. */
export function milliseconds(name: string, seconds: unknown, isUnused: true): undefined;
export function milliseconds(name: string, seconds: unknown, isUnused: false): number;
export function milliseconds(name: string, seconds: unknown, isUnused: boolean): number | undefined;
export function milliseconds(name: string, seconds: unknown, isUnused: boolean): number | undefined {
  if (typeof seconds !== 'number' || !(seconds > 0) || seconds > 1e12)
    throw new InvalidOptionError(
      `${where}: option '${name}' must be a positive number of seconds, not ${described(seconds)}.`,
      {
        name,
      },
    );
  return isUnused ? undefined : Math.max(1, Math.round(seconds * 1000));
}

function warn({ error, key, continues }: SubscriptionFailure): void {
  const text = error instanceof Error ? error.message : String(error);
  const what = key === undefined ? 'A subscription to state failed' : `A subscriber to state failed at '${key}'`;
  process.emitWarning(`${what}: ${text}${continues ? '' : ' It has ended.'}`, 'StatekWarning');
}
