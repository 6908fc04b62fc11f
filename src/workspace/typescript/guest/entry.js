// Boot: prepares the global object, then gives the host one function to enter the guest by. Guest code cannot reach it:
// the engine keeps it by its place in memory.
import { callBack } from './callbacks.js';
import { connect, send } from './connection.js';
import { installConsole } from './console.js';
import { forget, future, settle } from './futures.js';
import { heldTokens } from './handles.js';
import { jobFunctions } from './jobs.js';
import { ask, operation } from './host.js';
import {
  DateClass,
  dateTime,
  defineProperty,
  getOwnPropertyDescriptor,
  globalObject,
  hasOwn,
  isNaN,
  list,
  mapGet,
  MapClass,
  mapSet,
  ownKeys,
  parse,
  promiseThen,
  stringSlice,
  toNumber,
  toText,
  TypeErrorClass,
  ErrorClass,
  SyntaxErrorClass,
} from './primordials.js';
import { decode } from './wire-decode.js';
import { describe, encodeResult, getterShown, inspect, memberOf, missing, references } from './wire.js';

export function boot(hostFunction) {
  connect(hostFunction);
  installConsole(globalObject);
  installFutures();
  installImport();
  lockStackTraces();
  builtins = new MapClass();
  const names = ownKeys(globalObject);
  for (let index = 0; index < names.length; index++) mapSet(builtins, names[index], true);
  return enter;
}

/** The global names that were there before any guest code. */
let builtins;

/**
 * What the host enters the guest for. A step's promise is handed over as ('step 7', promise); its end is reported to the
 * host when it comes, in this slice or a later one.
 */
function enter(request, first, second, third) {
  switch (request) {
    case 'settle':
      settle(first, second, third);
      return undefined;
    case 'forget':
      forget(first);
      return undefined;
    case 'define':
      define(first, decode(second));
      return undefined;
    case 'callBack':
      return callBack(first, second);
    case 'held':
      return heldTokens();
    case 'variables':
      return variables(first);
    default:
      return track(toNumber(stringSlice(request, 5)), first);
  }
}

/** Reports a step's end to the host. */
function track(step, promise) {
  // Or guest code could say, through the class of promises, what this promise's reactions are made of.
  defineProperty(promise, 'constructor', { __proto__: null, value: undefined });
  promiseThen(
    promise,
    (completion) => {
      // What the value is made of may throw when it is read; then the step has failed, and says why.
      let text;
      try {
        text = `=${encodeResult(completion.value)}`;
      } catch (error) {
        text = `!${describe(error)}`;
      }
      send(operation.stepEnded, `${step}\n${text}`);
    },
    (error) => {
      send(operation.stepEnded, `${step}\n!${describe(error)}`);
    },
  );
}

/** A variable given by the application. Guest code may assign to it and declare it anew. */
function define(name, value) {
  defineProperty(globalObject, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

/**
 * The variables of the program by name, as they are shown in the sizes given; with a path, one value in them under an empty name, or
 * nothing if there is none. No guest code runs.
 */
function variables(text) {
  const sizes = parse(text);
  const names = list();
  const values = list();
  const all = ownKeys(globalObject);
  for (let index = 0; index < all.length; index++) {
    if (typeof all[index] !== 'string' || mapGet(builtins, all[index]) !== undefined) continue;
    const descriptor = getOwnPropertyDescriptor(globalObject, all[index]);
    names[names.length] = all[index];
    values[values.length] = hasOwn(descriptor, 'value') ? descriptor.value : getterShown;
  }
  if (sizes.path === undefined) return inspect(names, values, sizes);
  const value = valueAt(names, values, sizes.path);
  const found = list();
  if (value === missing) return inspect(found, found, sizes);
  const name = list();
  name[0] = '';
  found[0] = value;
  return inspect(name, found, sizes, value);
}

function valueAt(names, values, path) {
  let value = missing;
  for (let index = 0; index < names.length; index++) if (names[index] === path[0]) value = values[index];
  for (let index = 1; index < path.length && value !== missing; index++) value = memberOf(value, path[index]);
  return value;
}

/** Prints the variables of the program; functions of the application are what it can call, and not its variables. */
function printLocals() {
  const all = ownKeys(globalObject);
  for (let index = 0; index < all.length; index++) {
    if (typeof all[index] !== 'string' || mapGet(builtins, all[index]) !== undefined) continue;
    const descriptor = getOwnPropertyDescriptor(globalObject, all[index]);
    const value = hasOwn(descriptor, 'value') ? descriptor.value : getterShown;
    if (typeof value === 'function' && references.tokenOf(value) !== undefined) continue;
    ask(operation.print, `log\n${describe([`${all[index]} =`, value])}`);
  }
}

/**
 * What `import` in a step becomes. The engine finds only modules the application registered; a name that a module does not
 * export is an error at once, as it is in a file.
 */
function installImport() {
  const load = async (specifier, names) => {
    const exports = await import(specifier);
    const count = names === undefined ? 0 : names.length;
    for (let index = 0; index < count; index++) {
      if (names[index] !== '*' && !(names[index] in exports))
        throw new SyntaxErrorClass(`The module '${specifier}' does not export '${names[index]}'.`);
    }
    return exports;
  };
  defineProperty(globalObject, '__statek_import', {
    __proto__: null,
    value: load,
    writable: false,
    enumerable: false,
    configurable: false,
  });
}

// Code that runs whenever an error is made would run while the host looks at errors.
function lockStackTraces() {
  defineProperty(ErrorClass, 'prepareStackTrace', {
    __proto__: null,
    value: undefined,
    writable: false,
    enumerable: false,
    configurable: false,
  });
}

function timeoutOf(options) {
  return options === undefined || options === null ? undefined : options.timeout;
}

function installFutures() {
  const functions = {
    sleep(duration) {
      const milliseconds = toNumber(duration);
      if (isNaN(milliseconds) || milliseconds < 0)
        throw new TypeErrorClass('sleep(milliseconds) needs a number from 0.');
      return future('sleep', { milliseconds });
    },
    until(moment) {
      const time = typeof moment === 'object' && moment !== null ? dateTime(moment) : toNumber(new DateClass(moment));
      if (isNaN(time)) throw new TypeErrorClass('until(moment) needs a date.');
      return future('until', { time });
    },
    signal(name, options) {
      if (typeof name !== 'string' || name === '') throw new TypeErrorClass('signal(name) needs a name.');
      return future('signal', { name, timeout: timeoutOf(options) });
    },
    ask(question, details, options) {
      return future('ask', { question: toText(question), details, timeout: timeoutOf(options) });
    },
    clarify(question, options) {
      return future('ask', { question: toText(question), details: { clarify: true }, timeout: timeoutOf(options) });
    },
    approve(what, details, options) {
      return future('approve', { question: toText(what), details, timeout: timeoutOf(options) });
    },
    ...jobFunctions,
    printLocals,
  };
  const names = ownKeys(functions);
  for (let index = 0; index < names.length; index++) {
    const value = functions[names[index]];
    defineProperty(globalObject, names[index], {
      __proto__: null,
      value,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  }
}
