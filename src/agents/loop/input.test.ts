import { expect, it } from 'vitest';
import { inheritance } from './input.ts';
import type { LoopState } from './state.ts';

it('passes on the language, the memory, and the roles to notify of a failure', () => {
  expect(inheritance('clerk', null)).toEqual({ handlers: ['clerk'] });
  const memory = { names: ['user:1'] };
  const state = { locale: 'de', handlers: ['boss'], memory } as unknown as LoopState;
  expect(inheritance('clerk', state)).toEqual({ locale: 'de', handlers: ['boss', 'clerk'], within: memory });
});
