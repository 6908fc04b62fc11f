// The agent of the desk: it looks at a ticket, gives money back, and answers the customer. Larger sums need a person.
import { Agent, tool } from 'statek';
import { scriptedModel, type ScriptedModel } from 'statek/testing';
import { z } from 'zod';
import { code } from '../models.ts';

const orders: Readonly<Record<string, { item: string; euros: number }>> = {
  'o-1': { item: 'lamp', euros: 240 },
  'o-2': { item: 'cable', euros: 20 },
  'o-3': { item: 'sofa', euros: 900 },
};

const findOrder = tool({
  name: 'findOrder',
  description: 'An order by its number.',
  input: z.object({ order: z.string() }),
  output: z.object({ item: z.string(), euros: z.number() }).nullable(),
  idempotent: true,
  execute: async ({ order }) => orders[order] ?? null,
});

const refund = tool({
  name: 'refund',
  description:
    'Gives the price of an order back. More than 100 euros need the approval of a person; if it is denied, an error with the name DeniedError says why.',
  input: z.object({ order: z.string(), euros: z.number().positive() }),
  approval: ({ euros }) => euros > 100,
  // The bank knows its keys: a refund that is repeated after a crash is made once.
  execute: async (_refund, { idempotencyKey }) => `receipt ${idempotencyKey}`,
});

export type DeskLanguage = 'typescript' | 'python';

export const deskIn = (language: DeskLanguage): Agent =>
  new Agent({
    role: 'desk',
    language,
    systemPrompt: `You answer tickets of a shop. \`ticket\` has { customer, order, text }. Look at the order. If the complaint is
reasonable, give the price back. Catch an error with the name DeniedError and tell the customer why, politely. End with exit(text of your answer).`,
    tools: [findOrder, refund],
    metadata: { MODEL: 'script' },
  });

/** The same program for every ticket; each waits, or not, for its own decision. */
export const scripts: Readonly<Record<DeskLanguage, ScriptedModel>> = {
  typescript: scriptedModel(
    [
      code(
        'ts',
        'const { item, euros } = await findOrder(ticket.order);',
        'let answer;',
        'try {',
        '  const receipt = await refund(ticket.order, euros);',
        '  answer = `Dear ${ticket.customer}, you get ${euros} EUR back for the ${item} (${receipt}).`;',
        '} catch (error) {',
        "  if (error.name !== 'DeniedError') throw error;",
        '  answer = `Dear ${ticket.customer}, we are sorry about the ${item}: ${error.message}`;',
        '}',
        'exit(answer);',
      ),
    ],
    { by: 'turn' },
  ),
  python: scriptedModel(
    [
      code(
        'python',
        'order = find_order(ticket.order)',
        'try:',
        '    receipt = refund(ticket.order, euros=order.euros)',
        '    answer = f"Dear {ticket.customer}, you get {order.euros} EUR back for the {order.item} ({receipt})."',
        'except HostError as error:',
        '    if error.name != "DeniedError":',
        '        raise',
        '    answer = f"Dear {ticket.customer}, we are sorry about the {order.item}: {error}"',
        'exit(answer)',
      ),
    ],
    { by: 'turn' },
  ),
};
