// An opened Statek.
import { refuseUnknownOptions } from '../base/options.ts';
import { kitOptionNames, openKit, WorkspaceKit, type WorkspaceKitOptions } from '../workspace/kit.ts';

export type StatekOptions = WorkspaceKitOptions;

export class Statek extends WorkspaceKit {
  /** Opens a store and everything needed to run what is in it. */
  static async open(options: StatekOptions): Promise<Statek> {
    refuseUnknownOptions('Statek.open', options, kitOptionNames);
    return openKit(options, [], (parts) => new Statek(parts, options));
  }
}
