// Names of options are checked twice: at compile time against their type, and at run time against what was given.
import { expect, it } from 'vitest';
import { refuseUnknownOptions, type OptionNames } from './options.ts';

interface Shape {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

const names: OptionNames<Shape> = { width: true, height: true };

it('refuses a name that is not an option, and names those that are', () => {
  expect(() => refuseUnknownOptions('draw', { width: 1 }, names)).not.toThrow();
  expect(() => refuseUnknownOptions('draw', { wdith: 1 } as Shape, names)).toThrow(
    "draw has no option 'wdith'; it takes width, height.",
  );
  expect(() => refuseUnknownOptions('draw', 5 as unknown as Shape, names)).toThrow(
    'draw takes an object of options, such as { width }, not 5.',
  );
});

it('does not compile with a name that is missing or misspelt', () => {
  // @ts-expect-error -- height is missing
  const missing: OptionNames<Shape> = { width: true };
  // @ts-expect-error -- there is no such option
  const misspelt: OptionNames<Shape> = { width: true, height: true, hieght: true };
  const shape: Shape = {};
  // @ts-expect-error -- height is missing
  refuseUnknownOptions('draw', shape, { width: true });
  expect([missing, misspelt]).toHaveLength(2);
});

it('wants the names of all members of a union', () => {
  type Either = Shape | { readonly radius: number };
  const all: OptionNames<Either> = { width: true, height: true, radius: true };
  // @ts-expect-error -- radius is missing
  const some: OptionNames<Either> = names;
  expect(Object.keys(all)).toHaveLength(Object.keys(some).length + 1);
});
