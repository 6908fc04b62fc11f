// Calls to the host. An answer is text that begins with one character: '=' a value, '!' an error to throw, '~' a future,
// '&' the method that was asked for as if it were a field, '"' a string as it is. An answer that is no text is the value itself.
import { send } from './connection.js';
import { stringSlice } from './primordials.js';
import { decode } from './wire-decode.js';

/** What a call to the host is for; operations.ts has the same numbers. */
export const operation = {
  __proto__: null,
  shape: 1,
  get: 2,
  set: 3,
  call: 4,
  collection: 5,
  print: 6,
  future: 7,
  stepEnded: 8,
  construct: 9,
  place: 10,
};

/** Sends a message and returns the host's answer, as a value or by throwing. */
export function ask(number, text) {
  return valueOf(send(number, text));
}

/** What an answer says, as a value or by throwing. */
export function valueOf(answer) {
  if (typeof answer !== 'string') return answer;
  if (answer[0] === '"') return stringSlice(answer, 1);
  const value = decode(stringSlice(answer, 1));
  if (answer[0] === '!') throw value;
  return value;
}
