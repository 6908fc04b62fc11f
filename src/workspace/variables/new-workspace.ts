// New workspaces: the chain of commits, the row, and the item whose lease says who runs it. All of it is written with the
// first slice, so there is no moment at which a workspace is half made.
import { randomBytes } from 'node:crypto';
import { InvalidOptionError } from '../../base/options.ts';
import { mergeParts } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import type { LanguageName } from '../language-name.ts';
import type { WorkspaceLimits } from '../limits.ts';
import { bootOf, handlesOf, type Loaded } from '../slices/loaded.ts';
import { refuseReservedNames } from './reserved-names.ts';
import { runRows, workspaceRows, type CommitMetadata, type WorkspaceRow } from '../rows.ts';

/** What a workspace is given when it is made. */
export interface WorkspaceTraits {
  readonly language?: LanguageName | undefined;
  readonly limits: WorkspaceLimits;
  readonly timeZone?: string | undefined;
  readonly role?: string | undefined;
  readonly seed?: number | undefined;
}

export function refuseName(id: unknown): void {
  if (typeof id !== 'string' || id === '' || id.length > 200 || !id.isWellFormed())
    throw new InvalidOptionError('A workspace needs a name of 1 to 200 characters, none of them half of a pair.', {
      name: id,
    });
}

/** Refuses what a workspace cannot be made with, or (for one that exists) what it cannot become. */
export function refuseTraits(
  id: string,
  existing: WorkspaceRow | undefined,
  traits: Partial<WorkspaceTraits>,
  variables: Iterable<string>,
): void {
  refuseName(id);
  refuseReservedNames('kit.workspace', variables, traits.language ?? existing?.language ?? 'typescript');
  if (existing !== undefined) refuseOtherTraits(existing, traits);
}

/** A workspace that is in this process alone, until its first slice is committed. */
export async function newWorkspace(
  context: WorkspaceContext,
  id: string,
  traits: WorkspaceTraits,
  variables: ReadonlyMap<string, object>,
): Promise<Loaded> {
  const { history, languages, clock } = context;
  refuseName(id);
  const language = await languages.prepared(traits.language ?? 'typescript', 'new programs');
  const state = { current: null, slices: 0, waiting: [], console: [] };
  const metadata: CommitMetadata = { kind: 'created', step: null, lines: 0, state };
  const prepared = await history.create(id, bootOf(language), metadata);
  const row: WorkspaceRow = {
    id,
    language: language.name,
    secret: randomBytes(32).toString('base64'),
    limits: traits.limits,
    timeZone: traits.timeZone ?? 'UTC',
    ...(traits.role === undefined ? {} : { role: traits.role }),
    seed: String(traits.seed ?? randomBytes(8).readBigUInt64LE()),
    bindings: [],
    fresh: true,
    created: clock.now(),
    nextStep: 1,
    nextFuture: 1,
    state,
  };
  const part = mergeParts(prepared, {
    writes: [
      { kind: 'put', collection: workspaceRows, key: [id], value: row },
      { kind: 'put', collection: runRows, key: [id], value: { workspace: id } },
    ],
  });
  return {
    row,
    revision: undefined,
    head: prepared.head,
    image: language.boot().image,
    handles: handlesOf(context, row, variables),
    pending: { part, commits: [prepared.hash] },
  };
}

/** Language, time zone and seed are part of what a program is; they cannot become others later. */
function refuseOtherTraits(row: WorkspaceRow, { language, timeZone, role, seed }: Partial<WorkspaceTraits>): void {
  const refuse = (name: string, given: string | number | undefined, kept: string): void => {
    if (given === undefined || String(given) === kept) return;
    throw new InvalidOptionError(
      `The workspace '${row.id}' exists and has ${name} ${kept}; it cannot be given ${String(given)}. Leave the option out.`,
      { name, given, kept },
    );
  };
  refuse('language', language, row.language);
  refuse('timeZone', timeZone, row.timeZone);
  refuse('role', role, row.role ?? '(none)');
  refuse('seed', seed, row.seed);
}
