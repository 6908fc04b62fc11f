// Futures: promises whose outcome comes from outside, in this slice or a year later. They are kept by number, so that
// the host can settle them in another process.
import { send } from './connection.js';
import { ask, operation } from './host.js';
import {
  defineProperty,
  ErrorClass,
  errorStack,
  isError,
  MapClass,
  mapDelete,
  mapGet,
  mapSet,
  PromiseClass,
} from './primordials.js';
import { decode } from './wire-decode.js';
import { encode } from './wire.js';

/** The functions that settle each promise that waits. */
const waiting = new MapClass();

/** The promise of a future the host has recorded. The host is told where in the code it was asked for. */
export function promiseOf(id) {
  const place = errorStack(new ErrorClass());
  send(operation.place, `${id}\n${place}`);
  return new PromiseClass((resolve, reject) => {
    mapSet(waiting, id, { __proto__: null, resolve, reject, place });
  });
}

/** An error that came from outside has the place where it was asked for: its own says nothing to the author of the code. */
function placed(error, place) {
  if (isError(error) && typeof place === 'string')
    defineProperty(error, 'stack', {
      __proto__: null,
      value: place,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  return error;
}

/** Asks the host for a future: a timer, a signal, a question. */
export function future(kind, parameters) {
  return promiseOf(ask(operation.future, encode([kind, parameters])));
}

/** Settles a future. One that nobody waits for any more is passed over. */
export function settle(id, failed, message) {
  const functions = mapGet(waiting, id);
  if (functions === undefined) return;
  mapDelete(waiting, id);
  let value;
  try {
    value = decode(message);
  } catch (error) {
    // An object in it may have been withdrawn since.
    functions.reject(error);
    return;
  }
  if (failed) functions.reject(placed(value, functions.place));
  else functions.resolve(value);
}

/** Drops a future nobody will settle any more. */
export function forget(id) {
  mapDelete(waiting, id);
}
