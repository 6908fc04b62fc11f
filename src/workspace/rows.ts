// What a workspace keeps in the store, beside its history.
import { recordCollection, workCollection } from '../store/door.ts';
import type { Commit } from '../history/door.ts';
import { callLogRows } from './futures/call-log.ts';
import type { LoadItem } from './futures/shared-loads.ts';
import type { LanguageName } from './language-name.ts';
import { largeTextRows, type StoredMessage } from './large-texts.ts';
import type { WorkspaceLimits } from './limits.ts';
import type { WireMessage } from './wire/wire.ts';

/** A future by its workspace and number. A fork shares those of the workspace it came from. */
export type FutureReference = {
  readonly workspace: string;
  readonly number: number;
};

/** Which lines make up the console: those of the commits of a workspace, from one sequence number to another. */
export type ConsoleSegment = {
  readonly workspace: string;
  readonly from: number;
  readonly to: number;
  /** The program went back to its end: what came after it in that workspace is not part of this console. */
  readonly closed?: boolean;
};

/** The part of a workspace's state that belongs to its image: every commit carries it, so that going back restores it. */
export type ProgramState = {
  /** The step that has begun and not ended. */
  readonly current: number | null;
  /** How many slices it took so far. */
  readonly slices: number;
  /** Futures the program waits for, oldest first. */
  readonly waiting: readonly FutureReference[];
  /** The console, this commit's own lines included. */
  readonly console: readonly ConsoleSegment[];
  /** Names the list of durable objects the program holds; none if it holds none. */
  readonly held?: string;
};

export interface WorkspaceRow {
  readonly id: string;
  readonly language: LanguageName;
  /** Keys the codes of handles; only the host ever sees it. */
  readonly secret: string;
  readonly limits: WorkspaceLimits;
  /** Where the program's local time comes from. */
  readonly timeZone: string;
  /** Whose code it runs; classes of durable objects may withhold members from a role. */
  readonly role?: string;
  /** What the program's random numbers start from. */
  readonly seed: string;
  /** Variables that were given objects of the application: a program is not given them again. */
  readonly bindings: readonly string[];
  /** It was made, but its variables have not been defined yet. */
  readonly fresh: boolean;
  readonly created: number;
  readonly nextStep: number;
  readonly nextFuture: number;
  readonly state: ProgramState;
  readonly forkedFrom?: { readonly workspace: string; readonly commit: string };
  /** Steps in it have had owners: one that waits may have been left behind by its own. */
  readonly guests?: true;
}

/** Why a step failed, with the place in its own source. */
export interface StepError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly line?: number;
  readonly column?: number;
  readonly frame?: string;
  readonly stack?: string;
}

/** On whose behalf code runs in a workspace that is used by several, one after another. */
export interface Owner {
  readonly id: string;
  readonly role: string;
}

export interface StepRow {
  readonly number: number;
  /** Who gave it, where that is not clear from the workspace. */
  readonly owner?: Owner;
  readonly source: string;
  readonly status: 'queued' | 'suspended' | 'done' | 'failed';
  readonly allOrNothing?: boolean;
  /** The commit before it, to which a step that is all or nothing goes back when it fails. */
  readonly before?: string;
  readonly value?: WireMessage;
  /** The value as its author is shown it, where the language itself says so. */
  readonly shown?: string;
  readonly error?: StepError;
  /** The latest commit of the step. */
  readonly commit?: string;
  /** Sequence numbers of its first and last commit, between which its lines are. */
  readonly commits?: readonly [number, number];
  /** How much it has printed. */
  readonly printed?: number;
  readonly created: number;
  readonly ended?: number;
}

/** What a workspace by itself can wait for: a call of an asynchronous function, a timer, a signal, a question, a decision. */
export const futureKinds = [
  'call',
  'sleep',
  'until',
  'signal',
  'ask',
  'approve',
] as const satisfies readonly WaitingKind[];
export type FutureKind = (typeof futureKinds)[number];

/**
 * What a program can wait for. Those of jobs come last: the end of a child job, something about a subtask, and the end of the
 * job itself.
 */
export type WaitingKind = 'call' | 'sleep' | 'until' | 'signal' | 'ask' | 'approve' | 'child' | 'subtask' | 'end';
/** Kinds of futures that jobs add. */
export type RequestedKind = Exclude<WaitingKind, FutureKind>;

const waitsOnly: ReadonlySet<string> = new Set<FutureKind>(['sleep', 'until', 'signal']);

/** Whether a future does something, where others only wait for a time or a signal. */
export function isDeed({ kind }: { readonly kind: string }): boolean {
  return !waitsOnly.has(kind);
}

/** One time a call was made. */
export interface CallAttempt {
  readonly started: number;
  readonly ended?: number;
  /** Why it failed, if it did and another one follows. */
  readonly error?: string;
}

/** Who decided what, and when. */
export interface Decision {
  readonly approved: boolean;
  readonly by?: string;
  readonly comment?: string;
  /** What whoever answered calls the answer. */
  readonly key?: string;
  readonly time: number;
}

/** A call to be made. */
export interface RecordedCall {
  readonly token: string;
  readonly method: string;
  /** Large parameters are kept elsewhere, as is a large outcome. */
  readonly parameters: StoredMessage;
  /** How far they had come when they were recorded; calls that do not say so are bound and checked when they are made. */
  readonly stage?: 'named' | 'checked';
}

/** A place in the code of a step; lines and columns are counted from 1. */
export interface CodePlace {
  readonly step: number;
  readonly line: number;
  readonly column: number;
}

interface FutureCommon extends FutureReference {
  readonly step: number;
  /** Where it was asked for, as the engine counts: in the code that the step was compiled to. */
  readonly place?: CodePlace;
  /** The owner of its step. */
  readonly owner?: Owner;
  /** For people: what is waited for. */
  readonly label: string;
  readonly state: 'waiting' | 'started' | 'settled' | 'cancelled';
  readonly outcome?: FutureOutcome;
  /** Forks that wait for it too. */
  readonly sharedWith: readonly string[];
  /** Those of them whose wait has ended though the others wait on, and how it ended. */
  readonly left?: readonly LeftWait[];
  readonly created: number;
  readonly settled?: number;
}

export interface FutureOutcome {
  readonly failed: boolean;
  /** The value or error. */
  readonly value: StoredMessage;
}

/** How the wait of one workspace for a shared future ended. */
export interface LeftWait {
  readonly workspace: string;
  readonly outcome: FutureOutcome;
}

/** The wait ends with a `TimeoutError` at this time. */
interface Expiring {
  readonly expires?: number;
}

/** A call of an asynchronous function. */
export interface AskedCall {
  readonly kind: 'call';
  readonly call: RecordedCall;
  /** The call must not be made before somebody agreed to it. */
  readonly approval?: 'needed' | 'given';
  /** Nobody knows whether the call was made, and somebody has to say what is to be done. */
  readonly doubt?: true;
  readonly decision?: Decision;
  readonly attempts?: readonly CallAttempt[];
  /** A call that failed is not made again before this time. */
  readonly notBefore?: number;
  /** Its outcome is that of an earlier call. */
  readonly cached?: true;
}

interface AskedTimer {
  readonly kind: 'sleep' | 'until';
  readonly due: number;
}

interface AskedSignal extends Expiring {
  readonly kind: 'signal';
  readonly signal: string;
}

interface AskedQuestion extends Expiring {
  readonly kind: 'ask' | 'approve';
  readonly question: { readonly text: string; readonly details: WireMessage };
  readonly decision?: Decision;
}

/** Something the layer above was asked for, in its own words. */
interface AskedRequest extends Expiring {
  readonly kind: RequestedKind;
  readonly request: WireMessage;
}

/** What a program has asked for, by its kind. */
export type Asked = AskedCall | AskedTimer | AskedSignal | AskedQuestion | AskedRequest;

export type FutureRow = FutureCommon & Asked;
export type CallRow = FutureCommon & AskedCall;

/** When something happens to a future by itself: it is due, or nobody waits for it any longer. */
export function timerOf(future: FutureRow): number | undefined {
  if ('due' in future) return future.due;
  return 'expires' in future ? future.expires : undefined;
}

/** The name of the signal a future waits for, if it waits for one. */
export function signalOf(future: FutureRow): string | undefined {
  return future.kind === 'signal' ? future.signal : undefined;
}

/** The question somebody is asked, if they are. */
export function questionOf(future: FutureRow): string | undefined {
  return 'question' in future ? future.question.text : undefined;
}

/** Who decided or answered, what and when, if somebody did. */
export function decisionOf(future: FutureRow): Decision | undefined {
  return 'decision' in future ? future.decision : undefined;
}

/** What came of a future for one of the workspaces that wait for it; undefined as long as it waits. */
export function outcomeFor(workspace: string, { outcome, left }: FutureRow): FutureOutcome | undefined {
  return left?.find((one) => one.workspace === workspace)?.outcome ?? outcome;
}

/** Everybody who waits for a future. */
export function waitersOf({ workspace, sharedWith, left = [] }: FutureRow): readonly string[] {
  return [workspace, ...sharedWith].filter((waiter) => !left.some((one) => one.workspace === waiter));
}

/** A call that waits for somebody's consent is not made yet. */
export function mayBeMade({ state, approval, doubt }: CallRow): boolean {
  return state !== 'cancelled' && approval !== 'needed' && doubt !== true;
}

/** It has no outcome yet, and somebody waits for it. */
export function isOpen({ outcome, state }: Pick<FutureCommon, 'outcome' | 'state'>): boolean {
  return outcome === undefined && state !== 'cancelled';
}

/** A call of a synchronous tool. It is part of the slice that made it; what was too long to keep is only measured. */
export type SliceCall = {
  readonly label: string;
  readonly parameters: WireMessage | { readonly characters: number };
  readonly outcome: { readonly failed: boolean; readonly value: WireMessage | { readonly characters: number } };
  /** When it was over. */
  readonly time: number;
  /** How long it took; absent if no time passed on the clock. */
  readonly milliseconds?: number;
  /** The number of the next future: what was asked for before it has lower ones. */
  readonly before: number;
};

/** Calls of a synchronous tool in one slice that the journal only counts. */
export type CountedCalls = {
  readonly label: string;
  readonly failed: boolean;
  readonly count: number;
  /** What they took together. */
  readonly milliseconds: number;
};

/** Calls of synchronous tools in one slice, in order, and how many more there were. */
export type CalledTools = {
  readonly calls: readonly SliceCall[];
  readonly more: number;
  /** The others, counted by tool and outcome. */
  readonly others: readonly CountedCalls[];
};

export interface ConsoleLine {
  readonly step: number;
  readonly level: string;
  readonly text: string;
}

export const workspaceRows = recordCollection<WorkspaceRow>('workspaces');
export const stepRows = recordCollection<StepRow>('steps');
export const futureRows = recordCollection<FutureRow>('futures');
/** Lines by workspace and the sequence number of the commit that printed them. */
export const consoleRows = recordCollection<readonly ConsoleLine[]>('console');
/** Workspaces that have something to do: a step to run, a future to deliver or a call to make. */
export const readyRows = recordCollection<{ readonly since: number }>('ready', { small: true });
/** Futures by the time they are due. */
export const timerRows = recordCollection<FutureReference>('timers', { small: true });
/** Futures that wait for a signal, by its name, oldest first. */
export const signalWaitRows = recordCollection<FutureReference>('signal_waits', { small: true });
/**
 * Futures that a person has to answer or decide, oldest first: ['asked', created, workspace, number]. Under ['built'] it says that the
 * futures of a store from before this index are in it.
 */
export const questionRows = recordCollection<FutureReference | null>('questions', { small: true });
/** Signals nobody has waited for yet, by name, oldest first. */
export const signalRows = recordCollection<{ readonly value: WireMessage; readonly sent: number }>('signals');
/** Outcomes that may be used again, by the name of the tool and a hash of what was called: [tool, hash]. */
export const callCacheRows = recordCollection<{ readonly value: WireMessage; readonly until: number }>('call_cache');
/** Outcomes that are being fetched for everybody who wants them: whoever holds the lease makes the call. */
export const callLoadRows = workCollection<LoadItem>('call_loads');
/** Lists of durable objects that programs hold, by a hash of the list: consecutive commits mostly share one. */
export const heldRows = recordCollection<readonly string[]>('held_objects');
/** One item per workspace: whoever holds its lease may run it. */
export const runRows = workCollection<{ readonly workspace: string }>('runs');

export const workspaceCollections = [
  workspaceRows,
  stepRows,
  futureRows,
  consoleRows,
  readyRows,
  timerRows,
  signalWaitRows,
  questionRows,
  signalRows,
  callCacheRows,
  callLoadRows,
  callLogRows,
  heldRows,
  largeTextRows,
  runRows,
] as const;

/** What travels in the metadata of a commit. A type and not an interface, as what it is made of: it is JSON. */
export type CommitMetadata = {
  readonly kind: 'created' | 'step' | 'resumed' | 'failed' | 'forked' | 'rolledBack' | 'variables';
  readonly step: number | null;
  readonly lines: number;
  readonly state: ProgramState;
};

/** What the commits of workspaces carry. */
export function metadataOf({ metadata }: Pick<Commit, 'metadata'>): CommitMetadata {
  return metadata as CommitMetadata;
}

/** The id of a future, as people and applications name it. A type of its own: other ids are not taken for one. */
export type FutureId = string & { readonly futureId: true };

export function futureId({ workspace, number }: FutureReference): FutureId {
  return `${workspace}/${number}` as FutureId;
}

/** The future that an id names. Ids come from outside, so any text may be given. */
export function parseFutureId(id: string): FutureReference | undefined {
  const slash = id.lastIndexOf('/');
  const number = Number(id.slice(slash + 1));
  return slash > 0 && Number.isInteger(number) && number > 0 ? { workspace: id.slice(0, slash), number } : undefined;
}
