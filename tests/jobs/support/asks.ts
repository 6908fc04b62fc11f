// A job that does not end by itself.
import { program } from '../../../src/index.ts';

export const asks = program({ role: 'asks', source: "await ask('Still there?')" });
