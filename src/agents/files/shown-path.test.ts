import { expect, it } from 'vitest';
import { shownPath } from './shown-path.ts';

it('shows no folder of the machine', () => {
  expect(shownPath('prompts/clerk.md', '/srv/app')).toBe('prompts/clerk.md');
  expect(shownPath('/srv/app/prompts/clerk.md', '/srv/app')).toBe('prompts/clerk.md');
  expect(shownPath('/srv/prompts/clerk.md', '/srv/app')).toBe('clerk.md');
  expect(shownPath('/srv/prompts/clerk.md', '/')).toBe('clerk.md');
});
