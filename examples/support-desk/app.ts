// The shop's Express application: customers send tickets and read the answers; the staff decides in the inspector, under /statek/.
/* eslint-disable oxc/no-async-endpoint-handlers -- Express 5 handles what they throw */
import express from 'express';
import type { Job, Statek } from 'statek';
import { server } from 'statek/server';
import { listen, type Listening } from '../listening.ts';

/** Who works at the desk, by token. Yours asks its session, or its identity provider. */
export const staff: Readonly<Record<string, string>> = { 'token-of-eve-0001': 'Eve', 'token-of-max-0001': 'Max' };

interface Ticket {
  readonly id: string;
  readonly customer: string;
  readonly order: string;
  readonly text: string;
}

const stateOf = async (job: Job): Promise<string> =>
  job.status === 'DONE' ? String(await job.result()) : 'is being looked at';

export async function serveDesk(kit: Statek, port: number): Promise<Listening> {
  const app = express();
  // Eve and Max see the jobs of the desk and nothing else; they may look, decide and talk, and neither submit nor delete.
  const statek = server(kit, {
    authorize: (request) => {
      const name = staff[request.headers.get('authorization')?.replace('Bearer ', '') ?? ''];
      return name === undefined ? undefined : { name, rights: ['read', 'answer'], labels: ['desk'] };
    },
  });
  app.use('/statek', statek.node);
  app.post('/tickets', express.json(), async (request, response) => {
    const { id, ...ticket } = request.body as Ticket;
    // The id of the ticket is that of the job: a request that is sent again makes no second one.
    await kit.submit('desk', {
      id,
      vars: { ticket },
      message: ticket.text,
      labels: ['desk', `customer:${ticket.customer}`],
    });
    response.sendStatus(201);
  });
  app.get('/tickets/:id', async (request, response) => {
    response.json(await stateOf(await kit.job(request.params.id)));
  });
  const worker = kit.start();
  return listen(app, port, () => worker.stop());
}
