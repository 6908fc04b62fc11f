import { expect, it } from 'vitest';
import { GuestText } from '../../workspace/door.ts';
import { isTool, ownVariables } from './tool-variables.ts';

it('knows a tool by its own name, in the manner of either language', () => {
  expect(isTool('findMeeting', '[clerk.findMeeting]')).toBe(true);
  expect(isTool('find_meeting', '[clerk.findMeeting]')).toBe(true);
  expect(isTool('mine', '[clerk.findMeeting]')).toBe(false);
  expect(isTool('findMeeting', 'findMeeting')).toBe(false);
  expect(isTool('findMeeting', undefined)).toBe(false);
});

it('leaves out tools, and nothing the program made', () => {
  const alias = new GuestText('[clerk.findMeeting]');
  const own = { count: 1, findMeeting: '[clerk.findMeeting]', alias };
  expect(ownVariables({ ...own, send: new GuestText('[clerk.send]') })).toEqual(own);
});
