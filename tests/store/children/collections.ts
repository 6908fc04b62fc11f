// The collections the processes share.
import { recordCollection, workCollection } from '../../../src/store/collection.ts';

export const counters = recordCollection<number>('counters');
export const notes = recordCollection<number>('notes');
export const items = workCollection<number>('items');
export const done = recordCollection<string>('done');
