// A client in a process of its own, so that it does not take the time of the server's thread: it asks for one job again and
// again, or opens streams of events and counts what arrives.
import { request, Agent } from 'node:http';

const [kind = '', url = '', token = '', number = '1', seconds = '5'] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };

if (kind === 'requests') {
  const agent = new Agent({ keepAlive: true, maxSockets: Number(number) });
  const end = performance.now() + Number(seconds) * 1000;
  let answered = 0;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      request(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`The server answered ${response.statusCode}.`));
        response.resume();
        response.once('end', () => {
          answered++;
          resolve();
        });
      })
        .on('error', reject)
        .end();
    });
  await Promise.all(
    Array.from({ length: Number(number) }, async () => {
      while (performance.now() < end) await one();
    }),
  );
  agent.destroy();
  process.stdout.write(JSON.stringify({ answered }));
} else {
  let events = 0;
  let open = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  for (let index = 0; index < Number(number); index++) {
    request(url, { agent, headers }, (response) => {
      if (++open === Number(number)) process.stdout.write('open\n');
      response.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf('\nid: '); at >= 0; at = chunk.indexOf('\nid: ', at + 1)) events++;
        if (chunk.indexOf('id: ') === 0) events++;
      });
      response.on('error', () => undefined);
    })
      .on('error', () => undefined)
      .end();
  }
  process.on('SIGTERM', () => {
    process.stdout.write(`${JSON.stringify({ events })}\n`);
    process.exit(0);
  });
}
