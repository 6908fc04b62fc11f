// What the parts of the workspace layer share.
import type { Clock } from '../base/clock.ts';
import type { History } from '../history/door.ts';
import type { Objects } from '../objects/door.ts';
import type { Store } from '../store/door.ts';
import type { Languages } from './languages.ts';
import type { Leases } from './leases.ts';
import type { WorkspaceOwners } from './owners.ts';

export interface WorkspaceContext {
  readonly store: Store;
  readonly history: History;
  readonly clock: Clock;
  readonly languages: Languages;
  readonly leases: Leases;
  readonly objects: Objects;
  /** Host objects by name, for every workspace. */
  readonly services: ReadonlyMap<string, object>;
  /** In a live kit, every object a program holds; it ends with the process anyway. */
  readonly kept: Map<string, object> | undefined;
  readonly owners: WorkspaceOwners;
  /** Something of this workspace was committed: whoever waits for it looks again. */
  changed(workspace: string): void;
  /** So many calls were added to the log of calls. */
  callsLogged(count: number): void;
}
