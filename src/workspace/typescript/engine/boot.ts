// Makes the image every program starts from: the engine initialised and boot code evaluated, with the clock standing still and no
// randomness, so that the same engine and boot code give the same bytes on every machine.
import { createHash } from 'node:crypto';
import type { EngineBuild } from './build.ts';
import { captureAll } from './capture.ts';
import type { Host, ImageHeader } from './engine.ts';
import { ImageRefusedError } from './errors.ts';
import type { Box } from './exports.ts';
import { Image } from './image.ts';
import { Instance } from './instance.ts';
import { usualLimits } from './limits.ts';
import { LiveMachine } from './live-machine.ts';
import { findMemoryState } from './memory-state.ts';
import { findRandomState } from './random-state.ts';
import { Values } from './values.ts';
import { describeThrown } from './guest-error.ts';

/** The time boot code sees: the first moment of the year 2000. */
export const bootTime: number = Date.UTC(2000, 0, 1);

/**
 * `source` is an expression whose value is a function: it is called once with the host function, `host(operation, ...values)`, and
 * returns the entry function that `machine.enter` calls. Only what boot code puts on `globalThis` is seen by other guest code.
 */
export function makeBootImage(build: EngineBuild, source: string): Image {
  const instance = start(build);
  const { exports } = instance;
  const values = new Values(instance);
  exports.qjs_set_interrupt_handler(1);
  exports.qjs_set_promise_rejection_handler(1);
  exports.qjs_set_module_loader(1);
  exports.qjs_set_memory_limit(usualLimits.memoryBytes);
  exports.qjs_set_max_stack_size(usualLimits.stackBytes);
  const randomState = exports.qjs_get_context_ptr() + findRandomState(start(build));
  const memoryState = findMemoryState(start(build));

  const evaluate = (code: string): Box =>
    values.own(
      values.withText('statek:boot', (name) =>
        values.withText(code, (pointer, length) => exports.qjs_eval(pointer, length, name, 0)),
      ),
    );
  const stackGetter = evaluate("Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get");
  const evaluated = evaluate(source);
  const hostFunction = values.own(
    values.withText('host', (name, length) => exports.qjs_new_host_function(name, length, 1)),
  );
  const self = values.fromData(undefined);
  const entry = values.withMemory(4, (pointers) => {
    instance.setWord(pointers, hostFunction);
    return values.own(exports.qjs_call(evaluated, self, 1, pointers));
  });
  if (exports.qjs_is_function(entry) === 0) {
    const { name, message } = describeThrown(exports, values, values.takeException());
    throw new ImageRefusedError(`Boot code did not return its entry function: ${name} ${message}`);
  }
  for (const box of [evaluated, hostFunction, self]) values.free(box);

  const header: ImageHeader = {
    format: 1,
    engine: build.sha256,
    boot: createHash('sha256').update(source).digest('hex'),
    stackPointer: exports.__stack_pointer.value,
    entry: values.handOver(entry),
    stackGetter: values.handOver(stackGetter),
    randomState,
    memoryState,
  };
  const machine = new LiveMachine({
    instance,
    base: new Image(header, []),
    host: bootHost,
    limits: usualLimits,
    onRelease: () => {},
  });
  machine.runJobs();
  exports.qjs_run_gc();
  const image = captureAll(instance, header);
  machine.release();
  return image;
}

/** The name of a boot image: what it is made from. */
export function bootImageName(build: EngineBuild, source: string): string {
  return createHash('sha256').update(build.sha256).update('\n').update(source).digest('hex');
}

function start(build: EngineBuild): Instance {
  const instance = new Instance(build);
  instance.user = bootUser;
  instance.exports._initialize();
  if (instance.exports.qjs_init() !== 0) throw new Error('the engine did not start');
  return instance;
}

const refuse = (): never => {
  throw new Error('boot code cannot call the host');
};

const bootHost: Host = { call: refuse, now: () => bootTime, elapsed: () => 0 };

const bootUser = {
  hostCall: refuse,
  interrupt: () => false,
  spent: () => {},
  promiseRejected: refuse,
  resolveModule: refuse,
  loadModule: refuse,
  now: () => bootTime,
  elapsed: () => 0,
  zoneOffset: () => 0,
  fillRandom: (bytes: Uint8Array) => void bytes.fill(0),
};
