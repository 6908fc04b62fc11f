// Requests that mean harm, or nothing: none of them is the server's fault, and none of them keeps anybody else from being served.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { program, Statek } from '../../src/index.ts';
import { server, type Listening, type StatekServer } from '../../src/server.ts';
import { randomOf, sendGarbage, sendOdd } from './support/malformed.ts';

const token = 'token-for-the-tests';

async function serve(): Promise<{ kit: Statek; served: StatekServer; listening: Listening; faults: unknown[] }> {
  const double = program<number>({ role: 'double', source: '2' });
  const kit = await Statek.open({ store: 'memory:', drivers: [double] });
  const faults: unknown[] = [];
  const served = server(kit, { token, log: ({ status, error }) => status >= 500 && faults.push(error) });
  const listening = await served.listen();
  onTestFinished(async () => {
    await listening.close();
    await kit.close();
  });
  return { kit, served, listening, faults };
}

it('answers none of them with an error of its own', async () => {
  const { served, listening, faults } = await serve();
  const random = randomOf(7);
  for (let count = 0; count < 60; count++) {
    const statuses = await Promise.all([
      ...Array.from({ length: 8 }, () => sendOdd(listening.url, served.routes, token, random)),
      ...Array.from({ length: 2 }, () => sendGarbage(listening.port, random)),
    ]);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  }
  expect(faults).toEqual([]);
  const response = await fetch(`${listening.url}v1/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('statek_http_requests_total'));
  // Paths that do not exist are counted as one.
  expect(lines.length).toBeLessThan(served.routes.length * 12);
});

it('serves others while some open connections and say nothing, or read nothing', async () => {
  const { kit, listening } = await serve();
  const sockets = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const socket = connect(listening.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const head = `GET /v1/events?since=0 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n`;
      if (index % 3 === 0) socket.write(`${head}\r\n`);
      else if (index % 3 === 1) socket.write(head);
      else
        socket.write(
          `POST /v1/jobs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
        );
      socket.pause();
      return socket;
    }),
  );
  await kit.submitAll(
    'double',
    Array.from({ length: 100 }, () => ({})),
  );
  await kit.runUntilIdle();
  const response = await fetch(`${listening.url}v1/jobs?limit=1000`, { headers: { authorization: `Bearer ${token}` } });
  const { jobs: listed } = (await response.json()) as { jobs: { outcome: string }[] };
  expect(listed.filter(({ outcome }) => outcome === 'completed')).toHaveLength(100);
  for (const socket of sockets) socket.destroy();
});
