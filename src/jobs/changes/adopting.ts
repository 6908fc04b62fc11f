// A job that an older version of the application's code worked on, and that a newer one has claimed: what becomes of it is for
// its driver to say, and is written down before anything of it runs.
import type { Json } from '../../history/door.ts';
import { emptyPart } from '../../store/door.ts';
import { cancellations, type FutureReference } from '../../workspace/door.ts';
import { compareVersions } from '../code-version.ts';
import { effectsOf } from '../past/restoring.ts';
import type { JobRestart, JobRow, JobUpdate } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import type { PlannedChange } from './ending.ts';
import { workspaceOf } from './workspace-holders.ts';

/** What this process's code makes of the job first; undefined if nothing. */
export async function adoption(
  system: JobSystem,
  row: JobRow,
  waiting: () => Promise<readonly FutureReference[]>,
): Promise<PlannedChange | undefined> {
  const own = system.versionOf(row.role);
  if (own === undefined || !hasBegun(row)) return undefined;
  const { needs: before } = row;
  // It began under code without a version, so whether the code has changed is unknown.
  if (before === undefined) return plan({ needs: own }, { to: own });
  if (compareVersions(own, before) === 0) return undefined;
  const { onChange } = system.driver(row.role);
  if (row.unpinned === true)
    return plan(
      { needs: own, unpinned: undefined, ...(onChange === 'pin' ? { pinned: true } : {}) },
      { from: before, to: own },
    );
  switch (onChange) {
    case 'pin':
      return plan({ pinned: true }, { to: before, pinned: true });
    case 'restart':
      return restart(system, row, { from: before, to: own }, await waiting());
    default:
      return plan({ needs: own }, { from: before, to: own });
  }
}

/** What the first turn of a job says about the code that it begins under. */
export function begunUnder(system: JobSystem, row: JobRow): JobUpdate {
  const version = system.versionOf(row.role);
  if (version === undefined || hasBegun(row)) return {};
  return {
    version,
    needs: version,
    ...(system.driver(row.role).onChange === 'pin' ? { pinned: true as const } : {}),
  };
}

function hasBegun({ turns, action }: JobRow): boolean {
  return turns > 0 || action !== null;
}

/** Its commits stay. What it waited for is cancelled, and what it has done is told, because the new code may do it again. */
async function restart(
  system: JobSystem,
  row: JobRow,
  versions: Pick<JobRestart, 'from' | 'to'>,
  waiting: readonly FutureReference[],
): Promise<PlannedChange> {
  const { wake: _wake, limit: _limit, ...timers } = row.timers;
  const restarted: JobRestart = { ...versions, ...(await effectsOf(system.store, row)) };
  system.again('a job is started again by another version of the code', {
    job: row.id,
    times: (row.restarts ?? 0) + 1,
    ...restarted,
  });
  const why = `the job '${row.id}' was started again by version ${versions.to}.`;
  return {
    change: {
      status: 'READY',
      action: null,
      state: null,
      turns: 0,
      // What was said to it is said again.
      messages: { ...row.messages, read: 0 },
      timers,
      needs: versions.to,
      version: undefined,
      interrupted: undefined,
      error: undefined,
      restarts: (row.restarts ?? 0) + 1,
      restarted,
      // Its workspace gets the variables that the job was given once more.
      ...(row.hasWorkspace === true ? { anew: true } : {}),
    },
    events: [{ kind: 'restarted', data: restarted }],
    also: await cancellations(system.workspaces.context, workspaceOf(row), waiting, why),
  };
}

function plan(change: JobUpdate, data: Json): PlannedChange {
  return { change, events: [{ kind: 'version', data }], also: emptyPart };
}
