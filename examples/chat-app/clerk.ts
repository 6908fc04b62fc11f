// The agent: it looks for free rooms by itself, and books one when a person has said yes.
import { Agent, tool } from 'statek';
import { z } from 'zod';

const freeRooms = tool({
  name: 'freeRooms',
  description: 'The rooms that are free, with their prices.',
  input: z.object({ day: z.string() }),
  execute: async ({ day }) => [
    { room: 'blue', day, price: 90 },
    { room: 'red', day, price: 120 },
  ],
});

const book = tool({
  name: 'book',
  description: 'Books a room.',
  input: z.object({ room: z.string(), day: z.string() }),
  approval: 'always',
  // With its own service a real one passes the key on, so that a call that is repeated books nothing twice.
  execute: async ({ room, day }, { idempotencyKey }) => `${room} on ${day}, receipt ${idempotencyKey}`,
});

/** @param model `provider/name`, or the name of a model of the kit */
export function clerkWith(model: string): Agent {
  return new Agent({
    role: 'clerk',
    systemPrompt: 'You book rooms for guests. Ask for the day if you do not know it, with ask().',
    chatStyle: 'MD_DIALOG',
    tools: [freeRooms, book],
    metadata: { MODEL: model },
  });
}
