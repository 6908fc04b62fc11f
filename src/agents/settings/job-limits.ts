// The limits of one job: what settings, the prompt file, the agent and the job itself say, the later the stronger.
import { described, InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { limitBounds } from '../../workspace/door.ts';
import { storedLimits, type StoredLimits } from '../limits.ts';
import { defaultJobLimits, limitRule, readLimit, type JobLimits, type LimitName } from './limits.ts';
import type { Settings } from './settings.ts';

/** Those of the workspace: unless somebody says something, they are as the kit has them. */
const ofWorkspace = {
  sliceMilliseconds: limitBounds.softCpuMilliseconds,
  heapBytes: limitBounds.heapBytes,
  consoleBytes: limitBounds.consoleBytes,
} as const;

/** Refuses limits that do not exist, and values that cannot be limits. */
export function checkLimits(role: string, limits: Partial<JobLimits>): void {
  refuseUnknownOptions(`The limits of '${role}'`, limits, defaultJobLimits);
  for (const [name, value] of Object.entries(limits) as [LimitName, number | undefined][])
    if (value !== undefined && readLimit(name, value) === undefined)
      throw new InvalidOptionError(
        `The limit '${name}' of '${role}' must be ${limitRule(name)}, not ${described(value)}.`,
        {
          name,
        },
      );
}

export function limitsOf(
  role: string,
  { values, origins }: Settings,
  said: readonly (Partial<JobLimits> | undefined)[],
): StoredLimits {
  const limits: { [Name in LimitName]?: number } = { ...values.limits };
  for (const { name, source } of origins)
    for (const own of Object.keys(ofWorkspace) as LimitName[])
      if (name === `limits.${own}` && source === 'default') delete limits[own];
  for (const some of said) {
    if (some === undefined) continue;
    checkLimits(role, some);
    for (const [name, value] of Object.entries(some) as [LimitName, number | undefined][])
      if (value !== undefined) limits[name] = value;
  }
  for (const [name, [least, most]] of Object.entries(ofWorkspace) as [keyof typeof ofWorkspace, [number, number]][]) {
    const value = limits[name];
    if (value === undefined) continue;
    if (value < least || (value > most && value !== Number.POSITIVE_INFINITY))
      throw new InvalidOptionError(`The limit '${name}' of '${role}' must be from ${least} to ${most}, or unlimited.`, {
        name,
      });
    // Memory ends somewhere: unlimited is as much as there can be.
    limits[name] = Math.min(value, most);
  }
  return storedLimits(limits);
}
