// The one way out of the guest: the function the engine gave to boot code, reachable from nowhere else.

let hostFunction;

export function connect(given) {
  hostFunction = given;
}

/** Sends a message and returns the host's answer as it is. */
export function send(number, text) {
  return hostFunction(number, text);
}

/** Requests without a message; operations.ts has the same numbers. */
export const plainOperation = {
  __proto__: null,
  read: 11,
  invoke: 12,
};

/** Asks for a field of an object. */
export function read(token, name) {
  return hostFunction(plainOperation.read, token, name);
}

/** Calls a method, or the function itself if it has no name, with up to three primitive parameters. */
export function invoke(token, method, parameters) {
  switch (parameters.length) {
    case 0:
      return hostFunction(plainOperation.invoke, token, method);
    case 1:
      return hostFunction(plainOperation.invoke, token, method, parameters[0]);
    case 2:
      return hostFunction(plainOperation.invoke, token, method, parameters[0], parameters[1]);
    default:
      return hostFunction(plainOperation.invoke, token, method, parameters[0], parameters[1], parameters[2]);
  }
}

/** Whether a value is a proxy, which no code of the language can tell. The engine answers this itself. */
export function isProxy(value) {
  return hostFunction(0, value);
}
