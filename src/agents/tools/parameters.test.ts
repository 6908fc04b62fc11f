import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../models/door.ts';
import { inputFrom, onlyInput, signatureOf, withoutNothing } from './parameters.ts';

const schema: JsonObject = {
  type: 'object',
  properties: { units: {}, town: {}, dayOfWeek: {}, hour: {} },
  required: ['town', 'dayOfWeek'],
};

it('shows required fields in the order of the schema, and the rest as may be left out', () => {
  expect(signatureOf(schema)).toBe('(town, dayOfWeek, { units?, hour? })');
  expect(signatureOf(schema, 'python')).toBe('(town, day_of_week, units=None, hour=None)');
  expect(signatureOf({ type: 'object' })).toBe('()');
});

it('binds every way of calling to the same input', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean());
  fc.assert(
    fc.property(value, value, fc.option(value, { nil: undefined }), (town, dayOfWeek, units) => {
      const rest = units === undefined ? {} : { units };
      const expected = { town, dayOfWeek, ...rest };
      expect(inputFrom(schema, [expected])).toEqual(expected);
      expect(inputFrom(schema, [{ town, day_of_week: dayOfWeek, ...rest }])).toEqual(expected);
      expect(inputFrom(schema, units === undefined ? [town, dayOfWeek] : [town, dayOfWeek, units])).toEqual(expected);
      expect(inputFrom(schema, [town, dayOfWeek, rest])).toEqual(expected);
      expect(inputFrom(schema, [town], { day_of_week: dayOfWeek, ...rest })).toEqual(expected);
      expect(inputFrom(schema, [], expected)).toEqual(expected);
    }),
  );
});

it.each([
  ['too many', () => inputFrom(schema, [1, 2, 3, 4, 5]), 'there are 5 parameters, and it takes 4'],
  ['twice, by place and in the object', () => inputFrom(schema, ['a', 'b', { town: 'c' }]), "'town' is given twice"],
  ['twice, by place and by name', () => inputFrom(schema, ['a'], { town: 'c' }), "'town' is given twice"],
  ['unknown', () => inputFrom(schema, ['a', 'b'], { wind: 1 }), "there is no parameter 'wind'"],
  ['more than the one it takes', () => onlyInput([1, 2]), 'there are 2 parameters, and it takes one'],
])('refuses parameters: %s', (_, bind, message) => {
  expect(bind).toThrow(message);
});

it('gives a tool without names the one thing it was called with', () => {
  expect(inputFrom({ type: 'string' }, ['a'])).toBe('a');
  expect(inputFrom({ type: 'string' }, [])).toEqual({});
  expect(inputFrom({}, [], { a: 1 })).toEqual({ a: 1 });
});

it('takes nothing for left out, where that is allowed', () => {
  expect(withoutNothing(schema, { town: null, units: null, hour: 0 })).toEqual({ town: null, hour: 0 });
  expect(withoutNothing(schema, 'a')).toBe('a');
});
