// The agent that follows an order: it waits for the payment, however long that takes, and sends the parcel.
import { Agent, Models, tool } from 'statek';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';

const ship = tool({
  name: 'ship',
  description: 'Hands a parcel to the carrier.',
  input: z.object({ item: z.string(), to: z.string() }),
  execute: async (_parcel, { idempotencyKey }) => `parcel ${idempotencyKey}`,
});

/** @param model `provider/name`, or `script` */
export function shipperWith(model: string): Agent {
  return new Agent({
    role: 'shipper',
    systemPrompt: 'You ship orders once they are paid: await signal(`paid-${order.id}`) returns the payment.',
    tools: [ship],
    metadata: { MODEL: model },
  });
}

export const models = new Models({
  models: {
    script: scriptedModel(
      [
        `\`\`\`ts
const payment = await signal(\`paid-\${order.id}\`);
const parcel = await ship(order.item, order.to);
exit(\`\${payment.amount} EUR received, \${parcel} sent to \${order.to}\`);
\`\`\``,
      ],
      { by: 'turn' },
    ),
  },
});
