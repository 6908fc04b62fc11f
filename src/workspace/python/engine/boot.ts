// Makes the image every Python program starts from: the interpreter initialised and boot code run, with the clock standing still
// and no randomness, so that the same engine and boot code give the same bytes on every machine.
import type { PythonBuild } from './build.ts';
import { captureAll } from './capture.ts';
import type { Pointer } from './exports.ts';
import type { FileSources } from './files.ts';
import type { PythonHeader, PythonImage } from './image.ts';
import { Instance } from './instance.ts';
import { zoneNameBytes } from './time-calls.ts';

/** The time boot code sees: the first moment of the year 2000. */
const bootTime: number = Date.UTC(2000, 0, 1);
/** The upper part of the C stack is for what the host does with a program; the rest is for steps. */
const mainStackBytes = 1024 * 1024;
/** Where stacks are put aside. They take about as much as the host's own stack, which ends before this does. */
const asideBytes = 2 * 1024 * 1024;

/** `source` is Python that gives the host the addresses of its three functions, as text. */
export function makeBootImage(build: PythonBuild, sources: FileSources, source: string): PythonImage {
  const { instance, given, zoneName } = runOnce(build, sources, source);
  const { exports } = instance;
  const aside = exports.malloc(asideBytes);
  const [runStep = 0, control = 0, callBack = 0] = Buffer.from(given).toString('latin1').split(' ').map(Number);
  const mainThread = exports.PyThreadState_Get();
  const interpreter = exports.PyThreadState_GetInterpreter(mainThread);
  const stepThread = exports.PyThreadState_New(interpreter);
  exports.PyEval_SaveThread();

  const mainStack = exports.__stack_pointer.value;
  const header: PythonHeader = {
    format: 1,
    language: 'python',
    engine: build.sha256,
    ...{ runStep, control, callBack, interpreter, mainThread, stepThread },
    ...{ stackEnd: exports.emscripten_stack_get_end(), stepStack: mainStack - mainStackBytes, mainStack },
    ...{ aside, asideBytes, zoneName },
    suspended: null,
    elapsed: 0,
  };
  return captureAll(instance, header);
}

interface Ran {
  readonly instance: Instance;
  /** What the code wrote to the channel. */
  readonly given: Uint8Array;
  readonly zoneName: Pointer;
}

/** Starts an interpreter and runs one piece of code that waits for nothing. */
export function runOnce(build: PythonBuild, sources: FileSources, source: string): Ran {
  const instance = new Instance(build, sources);
  const { exports } = instance;
  const given: Uint8Array[] = [];
  let printed = '';
  instance.user = {
    channelWrite: (bytes) => void given.push(Buffer.from(bytes)),
    channelRead: () => refuse(),
    output: (_descriptor, bytes) => void (printed += Buffer.from(bytes).toString('utf8')),
    now: () => bootTime,
    elapsed: () => 0,
    zoneOffset: () => 0,
    fillRandom: (bytes) => void bytes.fill(0),
    spent: () => {},
    spend: () => {},
    memoryLimit: 2 ** 31,
  };
  exports.emscripten_stack_init();
  exports.__wasm_call_ctors();
  exports.__main_argc_argv(0, 0);
  const zoneName = exports.malloc(zoneNameBytes);
  instance.zoneNamePointer = zoneName;
  const bytes = Buffer.from(`${source}\0`);
  const pointer = exports.malloc(bytes.length);
  instance.room(pointer, bytes.length).set(bytes);
  if (exports.PyRun_SimpleString(pointer) !== 0) throw new Error(`boot code failed: ${printed}`);
  exports.free(pointer);
  return { instance, given: Buffer.concat(given), zoneName };
}

function refuse(): never {
  throw new Error('boot code cannot wait for the host');
}
