// Makes a workspace: its chain of commits, its row, and the item whose lease says who runs it.
import { randomBytes } from 'node:crypto';
import { InvalidOptionError } from '../base/options.ts';
import type { KitContext } from './context.ts';
import type { LanguageName } from './language-name.ts';
import type { WorkspaceLimits } from './limits.ts';
import { bootOf } from './loaded.ts';
import { refuseReservedNames } from './reserved-names.ts';
import { runRows, workspaceRows, type CommitMetadata, type WorkspaceRow } from './rows.ts';

/** What a workspace is given when it is made. */
export interface WorkspaceTraits {
  readonly language?: LanguageName | undefined;
  readonly limits: WorkspaceLimits;
  readonly timeZone: string | undefined;
  readonly role: string | undefined;
  readonly seed: number | undefined;
  /** Names of variables it is given. */
  readonly variables?: Iterable<string> | undefined;
}

/** What is known of a workspace's variables. */
export interface Created {
  /** They are still to be defined: it is new, or whoever made it did not get that far. */
  readonly isFresh: boolean;
  /** Those that were given objects of the application. */
  readonly bindings: readonly string[];
}

export function refuseName(id: unknown): void {
  if (typeof id !== 'string' || id === '' || id.length > 200 || !id.isWellFormed())
    throw new InvalidOptionError('A workspace needs a name of 1 to 200 characters, none of them half of a pair.', {
      name: id,
    });
}

/** Makes a workspace unless it is there. */
export async function createWorkspace(context: KitContext, id: string, traits: WorkspaceTraits): Promise<Created> {
  const { store, history, languages, clock } = context;
  refuseName(id);
  const [existing] = await store.read(workspaceRows, [[id]]);
  const name = traits.language ?? existing?.value.language ?? 'typescript';
  refuseReservedNames('kit.workspace', traits.variables ?? [], name);
  if (existing !== undefined) {
    refuseOtherTraits(existing.value, traits);
    return { isFresh: existing.value.fresh, bindings: existing.value.bindings };
  }
  const language = await languages.prepared(name);
  const state = { current: null, slices: 0, waiting: [], console: [] };
  const metadata: CommitMetadata = { kind: 'created', step: null, lines: 0, state };
  const prepared = await history.create(id, bootOf(language), metadata as never);
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
  const [result] = await store.commit([
    {
      checks: [...prepared.checks, { kind: 'absent', collection: workspaceRows, key: [id] }],
      writes: [
        ...prepared.writes,
        { kind: 'put', collection: workspaceRows, key: [id], value: row },
        { kind: 'put', collection: runRows, key: [id], value: { workspace: id } },
      ],
    },
  ]);
  if (result?.status === 'committed') return { isFresh: true, bindings: [] };
  // Somebody else made it at the same moment, or something of the boot image changed; another look tells.
  return createWorkspace(context, id, traits);
}

/** Language, time zone and seed are part of what a program is; they cannot become others later. */
function refuseOtherTraits(row: WorkspaceRow, { language, timeZone, role, seed }: WorkspaceTraits): void {
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
