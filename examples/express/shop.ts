// An Express application as many people have it: a page, a list of orders, a webhook of the company that takes payments.
// It knows nothing of agents; what becomes of an order is in `handlers`.
/* eslint-disable oxc/no-async-endpoint-handlers -- Express 5 handles what they throw */
import express, { type Express } from 'express';

export interface Order {
  readonly id: string;
  readonly item: string;
  readonly to: string;
}

export interface Handlers {
  ordered(order: Order): Promise<void>;
  paid(order: string, payment: unknown): Promise<void>;
  list(): Promise<readonly { readonly id: string; readonly state: string }[]>;
}

export function shop({ ordered, paid, list }: Handlers): Express {
  const app = express();
  app.get('/', (_request, response) => void response.type('html').send(page));
  app.get('/orders', async (_request, response) => void response.json(await list()));
  app.post('/orders', express.json(), async (request, response) => {
    await ordered(request.body as Order);
    response.sendStatus(201);
  });
  app.post('/webhooks/payments', express.json(), async (request, response) => {
    const { order, ...payment } = request.body as { readonly order: string };
    await paid(order, payment);
    response.sendStatus(204);
  });
  return app;
}

/** The browser's own EventSource follows the jobs: it connects again by itself, and misses nothing. */
const page = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <title>Orders</title>
  <link rel="icon" href="data:," />
  <h1>Orders</h1>
  <ul></ul>
  <script type="module">
    const show = async () => {
      const orders = await (await fetch('./orders')).json();
      document.querySelector('ul').replaceChildren(
        ...orders.map(({ id, state }) => Object.assign(document.createElement('li'), { textContent: id + ': ' + state })),
      );
    };
    const events = new EventSource('./statek/v1/events?kinds=suspended,done');
    for (const kind of ['open', 'suspended', 'done']) events.addEventListener(kind, show);
  </script>
</html>`;
