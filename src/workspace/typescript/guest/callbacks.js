// Guest functions handed to the host as arguments. They have a number for as long as the call lasts.
import { apply, MapClass, mapGet, mapSet, TypeErrorClass } from './primordials.js';
import { decode, encode, references } from './wire.js';

let open;
let last = 0;

references.callbackFor = (callback) => {
  if (open === undefined) return 0;
  mapSet(open, ++last, callback);
  return last;
};

/** Runs a call to the host during which functions among its arguments can be called back. */
export function withCallbacks(action) {
  const outer = open;
  open = new MapClass();
  try {
    return action();
  } finally {
    open = outer;
  }
}

/** The host calls a function that was among the arguments of the call under way. */
export function callBack(id, parameters) {
  const callback = open && mapGet(open, id);
  if (callback === undefined)
    throw new TypeErrorClass('This function can be called only while the call it was handed to lasts.');
  return encode(apply(callback, undefined, decode(parameters)));
}
