// The proxy of distant-server.ts. It ends when the process that started it disconnects.
import { connect, createServer, type Socket } from 'node:net';

interface Held {
  readonly due: number;
  readonly deliver: () => void;
}

const [host = '', port = '', delay = ''] = process.argv.slice(2);
const heldBack = Number(delay);
// All are held back for the same time, so the first to arrive is the first due.
const queue: Held[] = [];
let isWaiting = false;

function hold(deliver: () => void): void {
  queue.push({ due: performance.now() + heldBack, deliver });
  if (!isWaiting) wait();
}

// A timer is up to a millisecond late. Short sleeps between turns of the event loop are more precise, and unlike turns alone
// leave the processor to the others.
const napMilliseconds = 0.1;
const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));

function wait(): void {
  isWaiting = true;
  const left = (queue[0]?.due ?? 0) - performance.now();
  if (left > 0) Atomics.wait(nobodyWakes, 0, 0, Math.min(left, napMilliseconds));
  setImmediate(deliverDue);
}

function deliverDue(): void {
  const now = performance.now();
  let count = 0;
  while (count < queue.length && (queue[count] as Held).due <= now) (queue[count++] as Held).deliver();
  queue.splice(0, count);
  isWaiting = false;
  if (queue.length > 0) wait();
}

function pass(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on('data', (bytes) => hold(() => to.write(bytes)));
  from.on('end', () => hold(() => to.end()));
  from.on('error', () => hold(() => to.destroy()));
  from.on('close', () => hold(() => to.destroy()));
}

const server = createServer((near) => {
  const far = connect(Number(port), host);
  pass(near, far);
  pass(far, near);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(address.port);
});
process.once('disconnect', () => process.exit(0));
