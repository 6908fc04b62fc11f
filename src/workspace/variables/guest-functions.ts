// Functions of guest code in the hands of the application, and what guest code calls them.

const names = new WeakMap<object, string>();
const maxNameLength = 200;

/** Notes that a function stands for one of guest code's, and what that is called; returns the function. */
export function nameGuestFunction<Called extends object>(called: Called, name: string): Called {
  names.set(called, name.slice(0, maxNameLength));
  return called;
}

/** What guest code calls a function it has handed over; undefined if the function is not guest code's. */
export function guestFunctionName(value: unknown): string | undefined {
  return typeof value === 'function' ? names.get(value) : undefined;
}
