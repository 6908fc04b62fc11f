// The moment of a job that its screen shows: its latest commit, which moves on as the job does, or one that was chosen. Commits are
// loaded around where somebody looks, so ten thousand of them cost no more than a hundred.
import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import { at, get, Refusal } from '../../api/request.ts';
import type { Commit, JobEvent } from '../../api/types.ts';
import { adjust } from '../../route.ts';

const around = 50;

export class Moments {
  readonly job: string;
  /** The sequence numbers of the first commit that is kept, as far as is known, and of the last. */
  readonly first = signal(0);
  readonly last = signal<number | undefined>(undefined);
  /** The chosen sequence number; undefined follows the latest. */
  readonly chosen = signal<number | undefined>(undefined);
  readonly error = signal<Error | undefined>(undefined);
  readonly isLoaded = signal(false);
  /** What the screen shows. */
  readonly commit: ReadonlySignal<Commit | undefined>;
  readonly isLatest: ReadonlySignal<boolean>;
  readonly #known = signal<ReadonlyMap<number, Commit>>(new Map());
  readonly #asked = new Set<number>();
  #shown: Commit | undefined;
  #turn = 0;
  #refreshing: ReturnType<typeof setTimeout> | undefined;

  constructor(job: string, hash: string | undefined) {
    this.job = job;
    this.isLatest = computed(() => this.chosen.value === undefined || this.chosen.value === this.last.value);
    this.commit = computed(() => {
      const wanted = this.chosen.value ?? this.last.value;
      const found = wanted === undefined ? undefined : this.#known.value.get(wanted);
      // While a commit is loaded, the one before it stays on the screen.
      if (found !== undefined) this.#shown = found;
      return found ?? this.#shown;
    });
    void this.refresh();
    if (hash !== undefined) void this.chooseHash(hash);
  }

  /** Looks which commits are new. */
  async refresh(): Promise<void> {
    const turn = ++this.#turn;
    try {
      const { commits, cursor } = await get<{ commits: Commit[]; cursor?: string }>(at`/jobs/${this.job}/commits`, {
        limit: around,
      });
      // Answers may overtake each other; the last question counts.
      if (turn !== this.#turn) return;
      batch(() => {
        this.#learn(commits, cursor === undefined);
        this.last.value = commits[0]?.sequence;
        this.error.value = undefined;
        this.isLoaded.value = true;
      });
    } catch (error) {
      // Before its first code it has no commits.
      if (!(error instanceof Refusal && error.status === 404)) this.error.value = error as Error;
      this.isLoaded.value = true;
    }
  }

  /** Takes note of what has happened to the job. A commit that follows the last one is shown before its facts are asked for. */
  heard(events: readonly JobEvent[]): void {
    const last = this.last.value;
    const known = new Set([...this.#known.value.values()].map(({ hash }) => hash));
    const added: Commit[] = [];
    for (const { kind, commit, time, data } of events) {
      if (kind !== 'slice' || commit === undefined || known.has(commit) || last === undefined) continue;
      known.add(commit);
      const { step = null } = (data ?? {}) as { readonly step?: number };
      const parent = added.at(-1)?.hash ?? this.#known.value.get(last)?.hash ?? null;
      const sequence = last + added.length + 1;
      added.push({ hash: commit, parent, sequence, time, kind: 'slice', step, storedBytes: 0 });
    }
    if (added.length > 0)
      batch(() => {
        this.#learn(added.toReversed(), false);
        this.last.value = (last ?? 0) + added.length;
      });
    if (events.some(({ commit }) => commit !== undefined)) {
      clearTimeout(this.#refreshing);
      this.#refreshing = setTimeout(() => void this.refresh(), added.length > 0 ? 120 : 0);
    }
  }

  /** The commit of a sequence number that is loaded. */
  known(sequence: number): Commit | undefined {
    return this.#known.value.get(sequence);
  }

  choose(sequence: number): void {
    const last = this.last.value ?? 0;
    const wanted = Math.max(this.first.value, Math.min(last, sequence));
    this.chosen.value = wanted === last ? undefined : wanted;
    const found = this.#known.value.get(wanted);
    if (found === undefined) void this.#load(wanted);
    else this.#remember(found);
  }

  step(by: number): void {
    const current = this.chosen.value ?? this.last.value;
    if (current !== undefined) this.choose(current + by);
  }

  latest(): void {
    this.chosen.value = undefined;
    adjust({ at: undefined });
  }

  async chooseHash(hash: string): Promise<void> {
    const known = [...this.#known.value.values()].find((commit) => commit.hash === hash);
    if (known !== undefined) {
      this.choose(known.sequence);
      return;
    }
    try {
      const { commit } = await get<{ commit: Commit }>(at`/jobs/${this.job}/commits/${hash}`);
      batch(() => {
        this.#learn([commit], false);
        this.chosen.value = commit.sequence;
      });
      this.#remember(commit);
      void this.#load(commit.sequence);
    } catch (error) {
      this.error.value = error as Error;
    }
  }

  async #load(sequence: number): Promise<void> {
    const page = Math.floor(sequence / around);
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    try {
      const { commits, cursor } = await get<{ commits: Commit[]; cursor?: string }>(at`/jobs/${this.job}/commits`, {
        before: (page + 1) * around,
        limit: around,
      });
      this.#learn(commits, cursor === undefined);
      const [newest] = commits;
      if (newest !== undefined && this.chosen.value === sequence && !this.#known.value.has(sequence))
        this.choose(newest.sequence);
      const chosen = this.commit.value;
      if (chosen !== undefined && this.chosen.value === chosen.sequence) this.#remember(chosen);
    } catch (error) {
      this.#asked.delete(page);
      this.error.value = error as Error;
    }
  }

  #learn(commits: readonly Commit[], isToTheEnd: boolean): void {
    const known = new Map(this.#known.value);
    for (const commit of commits) known.set(commit.sequence, commit);
    this.#known.value = known;
    const oldest = commits.at(-1);
    if (isToTheEnd && oldest !== undefined) this.first.value = oldest.sequence;
  }

  #remember({ hash, sequence }: Commit): void {
    adjust({ at: sequence === this.last.value ? undefined : hash });
  }
}
