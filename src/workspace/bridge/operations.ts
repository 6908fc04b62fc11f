// What guest code may ask of the host. The numbers are part of every stored image: new ones are added, none is changed.

export const operationNumbers = {
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
} as const;

export type Operation = keyof typeof operationNumbers;

/** Requests without a message: `get` and `call` with primitive values as they are, which are answered so where possible. */
export const plainOperationNumbers = {
  read: 11,
  invoke: 12,
} as const;

export type PlainOperation = keyof typeof plainOperationNumbers;

/** A value that crosses as it is. */
export type Plain = string | number | boolean | null | undefined;

const names = new Map<number, Operation>(
  Object.entries(operationNumbers).map(([name, number]) => [number, name as Operation]),
);

const plainNames = new Map<number, PlainOperation>(
  Object.entries(plainOperationNumbers).map(([name, number]) => [number, name as PlainOperation]),
);

export function plainOperationOf(number: number): PlainOperation | undefined {
  return plainNames.get(number);
}

export function operationOf(number: number): Operation | undefined {
  return names.get(number);
}
