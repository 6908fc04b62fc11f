// How long a bomb keeps this process from everything else, against the limit it runs under, and how much memory it makes it take.
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Statek } from '../../../src/kit/statek.ts';
import type { LanguageName } from '../../../src/workspace/language-name.ts';
import type { WorkspaceLimits } from '../../../src/workspace/limits.ts';
import { makeWorld } from '../world.ts';
import type { Bombs } from './typescript-bombs.ts';

export interface Measured {
  readonly language: LanguageName;
  readonly bomb: string;
  /** From the beginning of the step until it is answered; what is stored then is a part of it. */
  readonly wallMilliseconds: number;
  readonly wallRatio: number;
  /** The same without the time in which this thread could run and others had the processors: what it is on a machine that is not busy. */
  readonly ownRatio: number;
  /** CPU time of this thread until then. */
  readonly cpuRatio: number;
  /** The longest that nothing else of this process could run. */
  readonly blockedMilliseconds: number;
  /** What the process had at most while the bomb ran, beyond what it had before. */
  readonly megabytes: number;
  readonly ended: string;
  /** Why the workspace is not as it should be afterwards, if it is not. */
  readonly problem?: string;
}

/** The event loop's delay is measured by a timer, which must have run before and after; in milliseconds. */
const settling = 5;

/** Runs each in a workspace of its own. */
export async function measureBombs(
  language: LanguageName,
  bombs: Bombs,
  limits: Partial<WorkspaceLimits> & { readonly softCpuMilliseconds: number },
  report: (measured: Measured) => void,
): Promise<Measured[]> {
  const kit = await Statek.open({ store: 'memory:', limits, liveWorkspaces: 2 });
  const all: Measured[] = [];
  for (const [bomb, code] of Object.entries(bombs)) {
    const measured = await measure(kit, language, { bomb, code }, limits.softCpuMilliseconds);
    all.push(measured);
    report(measured);
  }
  await kit.close();
  return all;
}

async function measure(
  kit: Statek,
  language: LanguageName,
  { bomb, code }: { readonly bomb: string; readonly code: string },
  limit: number,
): Promise<Measured> {
  const { service, account, table, list: items } = makeWorld().variables;
  const workspace = await kit.workspace(`${language} ${bomb}`, {
    language,
    vars: { service, account, table, items },
    timeZone: 'Europe/Warsaw',
  });
  await workspace.run(language === 'python' ? 'kept = 41' : 'var kept = 41');
  collectGarbage();
  const memoryBefore = resident();
  forgetPeak();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await setTimeout(settling);
  const cpuBefore = cpuMilliseconds();
  const waitedBefore = waitedMilliseconds();
  const began = performance.now();
  const step = await workspace.run(code);
  const wallMilliseconds = performance.now() - began;
  const waited = waitedMilliseconds() - waitedBefore;
  const cpu = cpuMilliseconds() - cpuBefore;
  await setTimeout(settling);
  delay.disable();
  const megabytes = Math.max(0, Math.round((peak() - memoryBefore) / 2 ** 20));
  const next = await workspace.run('kept + 1');
  return {
    language,
    bomb,
    wallMilliseconds: Math.round(wallMilliseconds),
    wallRatio: round(wallMilliseconds / limit),
    ownRatio: round((wallMilliseconds - waited) / limit),
    cpuRatio: round(cpu / limit),
    blockedMilliseconds: Math.round(delay.max / 1e6),
    megabytes,
    ended: step.status === 'failed' ? (step.error?.code ?? step.error?.name ?? 'failed') : step.status,
    ...(next.value === 42 ? {} : { problem: `The next step: ${next.status} ${next.error?.message ?? ''}` }),
  };
}

export interface Worst {
  readonly wallRatio: number;
  readonly ownRatio: number;
  readonly cpuRatio: number;
  readonly blockedMilliseconds: number;
  readonly megabytes: number;
  /** Which had the worst ratio on the clock. */
  readonly bomb: string;
}

/** The worst figures of each language. */
export function worstOf(all: readonly Measured[]): Readonly<Record<string, Worst>> {
  const languages = new Set(all.map(({ language }) => language));
  return Object.fromEntries(
    [...languages].map((language) => [language, worst(all.filter((one) => one.language === language))]),
  );
}

function worst(all: readonly Measured[]): Worst {
  const most = (of: (measured: Measured) => number): number => Math.max(...all.map(of));
  const wallRatio = most((one) => one.wallRatio);
  return {
    wallRatio,
    ownRatio: most((one) => one.ownRatio),
    cpuRatio: most((one) => one.cpuRatio),
    blockedMilliseconds: most((one) => one.blockedMilliseconds),
    megabytes: most((one) => one.megabytes),
    bomb: all.find((one) => one.wallRatio === wallRatio)?.bomb ?? '',
  };
}

/** One line. */
export function lineOf(one: Measured): string {
  const figures = [
    `${one.wallRatio.toFixed(2)} × on the clock`,
    `${one.ownRatio.toFixed(2)} × without waiting for a processor`,
    `${one.cpuRatio.toFixed(2)} × CPU`,
    `${one.blockedMilliseconds} ms blocked`,
    `+${one.megabytes} MiB`,
  ];
  return `${one.language.padEnd(10)} ${one.bomb.padEnd(42)} ${figures.join(', ')}, ${one.ended}${one.problem === undefined ? '' : `: ${one.problem}`}`;
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How long this thread could have run while no processor was free; nothing where the system does not tell. */
function waitedMilliseconds(): number {
  try {
    const [, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}

function round(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function resident(): number {
  return process.memoryUsage().rss;
}

// Linux keeps the most a process ever had, and forgets it when told. Elsewhere only what is left afterwards can be seen.
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // no such file
  }
}

function peak(): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  } catch {
    return resident();
  }
}
