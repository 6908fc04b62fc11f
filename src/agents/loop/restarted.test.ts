import { expect, it } from 'vitest';
import { restartedText } from './restarted.ts';

it('names what was done before, and nothing if nothing was', () => {
  const told = restartedText({ calls: ['book(…)'], driver: ['ask the model', 'send to Ada', 'sending'] } as never);
  expect(told).toContain('What was done before is not undone: book(…), messages to the user to Ada.');
  expect(restartedText({ calls: [], driver: ['ask the model'] } as never)).not.toContain('not undone');
});
