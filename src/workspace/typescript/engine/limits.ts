// Applies a slice's limits to an instance. Limits live in the engine's memory and so in the image; boot images are made with the
// usual ones, so that a slice under them changes no page because of them.
import type { Limits } from './engine.ts';
import { EngineMisuseError } from './errors.ts';
import type { Instance } from './instance.ts';
import { wasmPageBytes } from '../../wasm/memory-pages.ts';

/** Past this the host's own stack could run out before the guest's does; measured with every kind of recursion there is. */
export const maxStackBytes: number = 320 * 1024;
/** The whole address space of the engine, less room for its stack and what it allocates outside the limit. */
export const maxMemoryBytes: number = 3 * 2 ** 30;

export const usualLimits: Limits = {
  fuel: 400_000_000,
  memoryBytes: 128 * 2 ** 20,
  stackBytes: 256 * 1024,
};

/** Holes in the heap, code being compiled and text in transit are not counted against the guest but must have room. */
const slackBytes = 8 * 2 ** 20;
const fragmentation = 1.5;

export function applyLimits(instance: Instance, limits: Limits): void {
  checkLimits(limits);
  const { exports } = instance;
  const most = Math.ceil((limits.memoryBytes * fragmentation + slackBytes) / wasmPageBytes);
  exports.memory_limit_set(Math.min(65_536, Math.max(most, instance.bytes.length / wasmPageBytes)));
  exports.qjs_set_memory_limit(limits.memoryBytes);
  exports.qjs_set_max_stack_size(limits.stackBytes);
}

/** Refuses limits that cannot be kept. */
export function checkLimits(limits: Limits): void {
  check('fuel', limits.fuel, 1, Number.MAX_SAFE_INTEGER);
  check('softFuel', limits.softFuel ?? 0, 0, limits.fuel);
  check('memoryBytes', limits.memoryBytes, 256 * 1024, maxMemoryBytes);
  check('stackBytes', limits.stackBytes, 16 * 1024, maxStackBytes);
}

function check(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new EngineMisuseError(`Limit '${name}' must be a whole number from ${least} to ${most}, not ${value}.`, {
    name,
    value,
  });
}
