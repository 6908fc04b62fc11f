// What the process that is killed and the one that looks afterwards share.
import { Durable } from '../../src/index.ts';

export class Seats extends Durable {
  static durable = { singleton: true };
  taken: string[] = [];
}
