// The form in which values cross between host and guest: JSON text that keeps what JSON would lose.
//
// A message is an array: the value, then the nodes it is made of. A value is a primitive, `[index]` for the node of that
// index, or one of the marks below. Nodes refer to each other by index, so shared and circular references stay what they
// are, and nesting costs no stack. The guest's side of this is guest/wire.js.
//
//     [[0], ["O", "title", "Planning", "at", [1]], ["D", 1767225600000]]

/** A message as text. A type of its own, so that no other text is taken for one. */
export type WireMessage = string & { readonly wireMessage: true };

/** Text that came where a message is expected. Whether it is one, whoever decodes it finds out. */
export function receivedMessage(text: string): WireMessage {
  return text as WireMessage;
}

/** The message of `undefined`. */
export const undefinedMessage = '[["u"]]' as WireMessage;

/** The message of `true`. */
export const trueMessage = '[true]' as WireMessage;

/** Values that are neither JSON nor nodes. */
export type Mark =
  | readonly ['u'] // undefined
  | readonly ['n', 'NaN' | 'Infinity' | '-Infinity' | '-0']
  | readonly ['b', string] // a bigint, in decimal
  | readonly ['h']; // a hole in an array

export type WireValue = null | boolean | number | string | readonly [number] | Mark;

export type WireNode =
  | readonly ['A', ...WireValue[]] // array
  | readonly ['O', ...WireValue[]] // plain object: name, value, name, value …
  | readonly ['M', ...WireValue[]] // Map: key, value …
  | readonly ['S', ...WireValue[]] // Set
  | readonly ['D', number | null] // Date; null is an invalid one
  | readonly ['Y', string, string] // bytes: the class's name, base64
  | readonly ['E', string, string, string, ...WireValue[]] // error: name, message, stack, then members
  | readonly ['X', string, string] // regular expression
  | readonly ['H', string] // a handle
  | readonly ['C', number] // a guest function, for the time of one call; as earlier engines write it
  | readonly ['C', number, string] // the same with its name
  | readonly ['F', string, string] // described only: a function or class, by kind and name
  | readonly ['I', string, ...WireValue[]] // described only: an instance of a guest class, then members
  | readonly ['T', string] // described only: anything else, as text
  | readonly ['+', number]; // described only: so many more members follow that were cut

/** Byte containers that cross, by the name of their class. */
export const byteClasses = {
  ArrayBuffer,
  DataView,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
} as const;

export type ByteContainer = InstanceType<(typeof byteClasses)[keyof typeof byteClasses]>;

/** Error classes both sides have; others cross as Error with their name. */
export const errorClasses = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError } as const;
