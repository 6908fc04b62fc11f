// What the example keeps: meetings, and a diary line for each, always written together.
import { recordCollection } from '../../src/index.ts';

export interface Booking {
  readonly id: string;
  readonly revision: number;
}

export const meetings = recordCollection<{ readonly title: string; readonly hour: number }>('meetings');
export const diary = recordCollection<{ readonly line: string }>('diary');
