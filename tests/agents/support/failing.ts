// What the killed process and the one after it have in common: an agent whose job fails, and a tool that is told of it.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, tool } from '../../../src/index.ts';
import { scriptedModel, type ScriptedModel } from '../../../src/testing.ts';
import { ts } from './fences.ts';

export function failingAgent(folder: string, idempotent: boolean, hang?: () => void): Agent {
  const book = tool({
    name: 'book',
    idempotent,
    execute: async () => Promise.resolve('booked'),
    onJobError: async ({ message }) => {
      appendFileSync(join(folder, 'log'), `told ${message}\n`);
      hang?.();
      if (hang !== undefined) await new Promise<never>(() => setInterval(() => undefined, 1000));
    },
  });
  return new Agent({ role: 'helper', metadata: { MODEL: 'script' }, tools: [book] });
}

export function failingModel(): ScriptedModel {
  return scriptedModel([ts('await book()', 'fail("no room")')], { by: 'turn' });
}
