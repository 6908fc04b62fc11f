// Encrypts a store into another one, says when it has begun, and waits to be killed in the middle of it.
import { encryptStore, openStore } from '../../../src/store.ts';

const [from = '', to = '', key = ''] = process.argv.slice(2);
await encryptStore(await openStore(from), await openStore(to), {
  key,
  onProgress: ({ done, total }) => {
    if (done < total / 2) return;
    process.send?.('half');
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  },
});
