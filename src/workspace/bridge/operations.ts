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

const names = new Map<number, Operation>(
  Object.entries(operationNumbers).map(([name, number]) => [number, name as Operation]),
);

export function operationOf(number: number): Operation | undefined {
  return names.get(number);
}
