// A program in the middle of a call that does not end by itself: where a process is killed.
import { program } from '../../../src/index.ts';

export const slow = {
  program: program({ role: 'slow', source: `print('before'); await mail.send('hello'); print('after')` }),
  mail: { send: async (): Promise<void> => new Promise(() => undefined) },
};
