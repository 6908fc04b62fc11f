// What the API answers, as far as the page shows it.
export type Status = 'READY' | 'WARMING_UP' | 'STARTED' | 'SUSPENDED' | 'DONE';
export type Outcome = 'completed' | 'failed' | 'cancelled' | 'limit';
export type Right = 'read' | 'answer' | 'control' | 'admin';

export interface Caller {
  readonly name: string;
  readonly rights: readonly Right[];
  readonly labels?: readonly string[];
  readonly version: string;
}

export interface Wait {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly question?: string;
  readonly since?: string;
  readonly due?: string;
  readonly signal?: string;
  readonly undecided?: boolean;
  readonly text?: string;
  readonly arguments?: readonly unknown[];
  readonly details?: unknown;
  /** Where in the code of which step it was asked for. */
  readonly at?: { readonly step: number; readonly line: number; readonly column: number };
}

export interface PendingWait extends Wait {
  readonly job: string;
  readonly role: string;
}

export interface UsageSum {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: number;
}

export interface Job {
  readonly id: string;
  readonly role: string;
  readonly status: Status;
  readonly outcome?: Outcome;
  readonly error?: { readonly name: string; readonly message: string };
  readonly paused: boolean;
  readonly parent?: string;
  readonly hasChildren: boolean;
  readonly labels: readonly string[];
  readonly priority: number;
  readonly version?: {
    readonly started?: string;
    readonly needs?: string;
    readonly pinned: boolean;
    readonly restarts: number;
    readonly onChange?: string;
  };
  /** It could go on, and no process of the version it needs works on it. */
  readonly awaitsVersion?: boolean;
  readonly schedule?: { readonly name: string; readonly due: string };
  readonly created: string;
  readonly updated: string;
  readonly waits?: readonly Wait[];
  readonly waiting?: readonly Wait[];
  readonly usage?: UsageSum;
}

export interface JobPage {
  readonly jobs: readonly Job[];
  readonly cursor?: string;
}

export interface Counts {
  readonly statuses: Readonly<Partial<Record<Status, number>>>;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
}

export interface Commit {
  readonly hash: string;
  readonly parent: string | null;
  readonly sequence: number;
  readonly time: string;
  readonly kind: string;
  readonly step: number | null;
  readonly storedBytes: number;
}

/** One commit: what it changed, and what the program waited for then. */
export interface CommitDetails {
  readonly commit: Commit;
  readonly changed: readonly Difference[];
  readonly waiting?: readonly Wait[];
}

export interface Difference {
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: string;
  readonly after?: string;
}

/** The code of a step, and what came of it. */
export interface StepSource {
  readonly source: string;
  readonly language?: string;
  /** Its latest commit. */
  readonly commit?: string;
  readonly error?: {
    readonly name: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  };
}

export interface Call {
  readonly id: string;
  readonly by: 'program' | 'driver';
  readonly name: string;
  readonly state: 'waiting' | 'approval' | 'started' | 'done' | 'failed' | 'cancelled';
  readonly attempts: readonly { readonly started: number; readonly ended?: number; readonly error?: string }[];
  readonly created: string;
  readonly ended?: string;
  readonly duration?: number;
  readonly cached: boolean;
  readonly idempotencyKey?: string;
  readonly decision?: { readonly approved: boolean; readonly by?: string; readonly comment?: string };
  readonly input?: unknown;
  readonly output?: unknown;
}

export interface JobEvent {
  readonly job: string;
  readonly kind: string;
  readonly data: unknown;
  readonly time: string;
  readonly commit?: string;
  readonly number: number;
  readonly revision: number;
}

/** What has changed besides the events of jobs. */
export type Notice =
  | { readonly kind: 'deleted'; readonly job: string }
  | { readonly kind: 'changed'; readonly what: string };

export interface List<Item> {
  readonly items: readonly Item[];
  /** Of the next page. */
  readonly cursor?: string;
}

export interface ModelUsage {
  readonly model: { readonly provider: string; readonly model: string };
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    readonly cached: number;
    readonly reasoning: number;
  };
  readonly timeToFirstToken?: number;
  readonly duration: number;
  readonly attempts: number;
  readonly cost?: { readonly amount: number };
}

export interface Usage {
  readonly turns: readonly (ModelUsage & { readonly turn: number; readonly time: string })[];
  readonly tokens: ModelUsage['tokens'];
  readonly cost: number;
}

export interface MessagePart {
  readonly type: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly name?: string;
  readonly input?: unknown;
}

export interface ChatItem {
  readonly kind: 'message' | 'notice' | 'note' | 'reply' | 'step' | 'result' | 'sent' | 'fold' | 'rollback';
  readonly number: number;
  readonly time: number;
  readonly text?: string;
  readonly from?: string;
  readonly turn?: number;
  readonly message?: { readonly content: readonly MessagePart[] | string };
  readonly usage?: ModelUsage;
  readonly step?: number;
  readonly status?: 'done' | 'failed';
  readonly console?: readonly string[];
  readonly value?: string;
  readonly error?: {
    readonly name: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  };
  readonly exit?: string;
  readonly commit?: string;
  readonly warmup?: { readonly source: string };
  readonly name?: string;
  readonly output?: string;
  readonly asked?: unknown;
  readonly suppressed?: string;
}

/** The members of one value, each in a line. */
export interface Members {
  readonly type: string;
  readonly text: string;
  readonly total: number;
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  /** What leads to it in a path. */
  readonly step: string | number;
  readonly type: string;
  readonly text: string;
  readonly size?: number;
  /** The durable object that it is. */
  readonly object?: string;
}

export type Lane = 'model' | 'slice' | 'call' | 'wait' | 'child' | 'process';

export interface Span {
  readonly start: number;
  /** Undefined while it goes on. */
  readonly end?: number;
  readonly label: string;
  readonly state?: string;
  /** The call, wait, turn or job it is. */
  readonly id?: string;
  readonly commit?: string;
  readonly step?: number;
  /** How many were put together, because they would lie on each other. */
  readonly count?: number;
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly isOver: boolean;
  readonly lanes: readonly { readonly lane: Lane; readonly spans: readonly Span[] }[];
  /** The sequence numbers of the first and the last commit that are kept. */
  readonly commits?: { readonly first: number; readonly last: number };
}
