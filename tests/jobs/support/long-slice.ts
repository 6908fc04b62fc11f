// A program whose only slice takes as long as the application's function does.
import { program } from '../../../src/index.ts';

export const longSlice = program({ role: 'long', source: 'work()' });
