// Finds where the engine counts the bytes it has allocated. No exported function tells, so it is found by its neighbour, the
// limit, which is the one word that takes on every value it is set to, and by its behaviour: it grows with every allocation.
import type { Instance } from './instance.ts';
import { usualLimits } from './limits.ts';
import { Values } from './values.ts';

const wordBytes = 4;
const probes: readonly number[] = [0x5a17_3c21, 0x3bc4_91d7];
const allocated = 100_000;
const nearby = 4;

/** The address of the count; the same for every instance of a build. Uses the instance up. */
export function findMemoryState(instance: Instance): number {
  const { exports } = instance;
  let places: number[] | undefined;
  for (const probe of probes) {
    exports.qjs_set_memory_limit(probe);
    const { words } = instance;
    places = places?.filter((place) => words[place] === probe) ?? placesOf(words, probe);
  }
  exports.qjs_set_memory_limit(usualLimits.memoryBytes);
  const values = new Values(instance);
  const found = (places ?? [])
    .flatMap((place) => Array.from({ length: 2 * nearby + 1 }, (_, index) => (place - nearby + index) * wordBytes))
    .filter((address) => {
      const before = instance.word(address);
      const box = values.fromData(new Uint8Array(allocated));
      const grown = instance.word(address) - before;
      values.free(box);
      return grown >= allocated && grown < 2 * allocated && instance.word(address) === before;
    });
  const [address] = found;
  if (address === undefined || found.length > 1)
    throw new Error(`the count of allocated bytes may be in ${found.length} places`);
  return address;
}

function placesOf(words: Int32Array, value: number): number[] {
  const places: number[] = [];
  for (let place = words.indexOf(value); place >= 0; place = words.indexOf(value, place + 1)) places.push(place);
  return places;
}
