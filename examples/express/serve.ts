// The shop with durable agents: two lines, and what they do with orders and payments.
import type { Statek } from 'statek';
import { server } from 'statek/server';
import { listen, type Listening } from '../listening.ts';
import { shop } from './shop.ts';

export async function serveShop(kit: Statek, port: number): Promise<Listening> {
  const app = shop({
    async ordered(order) {
      await kit.submit('shipper', { id: `order-${order.id}`, vars: { order }, message: `Ship order ${order.id}.` });
    },
    // The webhook becomes a signal. A payment that comes before the agent waits for it is kept.
    paid: (order, payment) => kit.signal(`paid-${order}`, payment),
    list: async () =>
      Promise.all(
        (await kit.jobs({ role: 'shipper' })).map(async (job) => ({
          id: job.id,
          state: job.status === 'DONE' ? String(await job.result()) : 'waits for payment',
        })),
      ),
  });

  // The two lines. Whoever can open this page may look; yours asks its session who sent the request.
  app.use('/statek', server(kit, { authorize: () => ({ name: 'visitor', rights: ['read'] }) }).node);
  const worker = kit.start();

  return listen(app, port, () => worker.stop());
}
