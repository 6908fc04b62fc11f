// The managers of state of a kit, on its store. Each declares its rows when it is used first, so a kit that uses none pays nothing.
import type { Clock } from '../base/clock.ts';
import type { Jobs } from '../jobs/door.ts';
import {
  KnowledgeStateManager,
  kitRolesOf,
  OrchestrationStateManager,
  SpeechStateManager,
  StateManager,
} from '../state/door.ts';
import type { Store } from '../store/door.ts';

export interface StateManagersOptions {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly clock?: Clock | undefined;
  readonly leaseMilliseconds?: number | undefined;
}

export class StateManagers {
  readonly state: StateManager;
  readonly knowledge: KnowledgeStateManager;
  readonly speech: SpeechStateManager;
  readonly teams: OrchestrationStateManager;

  constructor({ store, jobs, clock, leaseMilliseconds }: StateManagersOptions) {
    this.state = new StateManager({ store, clock });
    this.knowledge = new KnowledgeStateManager({ store, clock, leaseMilliseconds });
    this.speech = new SpeechStateManager({ store, clock });
    this.teams = new OrchestrationStateManager({ store, clock, leaseMilliseconds }).over(kitRolesOf(jobs));
  }

  /** Gives back what they hold. */
  async close(): Promise<void> {
    await Promise.all([this.state.close(), this.knowledge.close(), this.speech.close(), this.teams.close()]);
  }

  /** As if this process had died. */
  abandon(): void {
    this.knowledge.abandon();
    this.teams.abandon();
  }
}
