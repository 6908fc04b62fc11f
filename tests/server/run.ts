// Sends malformed requests to a server and measures what they leave behind: `npm run test:requests -- [requests] [seed]`.
import { program, Statek } from '../../src/index.ts';
import { server } from '../../src/server.ts';
import { randomOf, sendGarbage, sendOdd } from './support/malformed.ts';

const token = 'token-for-the-tests';
const [, , count = '10000', seed = '1'] = process.argv;
const kit = await Statek.open({ store: 'memory:', drivers: [program({ role: 'double', source: '2' })] });
const faults: unknown[] = [];
const served = server(kit, { token, log: ({ status, error }) => status >= 500 && faults.push(error) });
const listening = await served.listen();
const random = randomOf(Number(seed));
const statuses = new Map<number, number>();

const heap = (): number => {
  globalThis.gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1024);
};

async function send(requests: number): Promise<void> {
  for (let sent = 0; sent < requests; sent += 20) {
    const answers = await Promise.all([
      ...Array.from({ length: 16 }, () => sendOdd(listening.url, served.routes, token, random)),
      ...Array.from({ length: 4 }, () => sendGarbage(listening.port, random)),
    ]);
    for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

// What is made once, such as compiled code, does not count.
await send(Number(count) / 5);
const before = heap();
await send(Number(count));
const after = heap();
console.log('answers by status:', Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)));
console.log(`heap before ${before} KiB, after ${after} KiB`);
await listening.close();
await kit.close();
if (faults.length > 0) {
  console.error('errors of the server:', faults.slice(0, 5));
  process.exitCode = 1;
}
