// Guest functions handed to the host as arguments. They have a number for as long as the call lasts.
import {
  apply,
  isPrototypeOf,
  MapClass,
  mapDelete,
  mapGet,
  mapSet,
  promisePrototype,
  TypeErrorClass,
} from './primordials.js';
import { decode } from './wire-decode.js';
import { encode, references } from './wire.js';

const open = new MapClass();
let calls = 0;
let last = 0;

references.callbackFor = (callback) => {
  if (calls === 0) return 0;
  mapSet(open, ++last, callback);
  return last;
};

/** Runs a call to the host during which functions among its arguments can be called back. */
export function withCallbacks(action) {
  const first = last;
  calls++;
  try {
    return action();
  } finally {
    calls--;
    // Numbers are never given again: what the host kept of an earlier call must not reach a later one's functions.
    for (let id = first + 1; id <= last; id++) mapDelete(open, id);
  }
}

/** The host calls a function that was among the arguments of a call under way. */
export function callBack(id, parameters) {
  const callback = mapGet(open, id);
  if (callback === undefined)
    throw new TypeErrorClass('This function can be called only while the call it was handed to lasts.');
  const result = apply(callback, undefined, decode(parameters));
  if (isPrototypeOf(promisePrototype, result))
    throw new TypeErrorClass('A function that the application calls cannot wait: it returned a promise.');
  return encode(result);
}
