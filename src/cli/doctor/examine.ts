// The checks of statek doctor. They are independent: one that fails does not stop the others.
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { StatekError } from '../../base/error.ts';
import { isPath, shownLocation, type Application } from '../application/application.ts';
import { packageFolder, packageVersion } from '../../base/package.ts';
import { bytesText, durationText } from '../output/time.ts';
import type { Session } from '../session.ts';
import type { Finding } from './finding.ts';
import { examineModels } from './models.ts';

/** Below this it warns; SQLite also needs room for its log. */
const lowSpace = 1024 ** 3;
const criticalSpace = 64 * 1024 ** 2;
/** From so many slow slices in a day on, it is worth a warning. */
const manySlowSlices = 20;
/** From so many conflicts over one object in a day on, it is worth a warning. */
const manyConflicts = 1000;
/** Clocks of different machines are never exactly in step. */
const clockTolerance = 5000;

export async function* examine(session: Session): AsyncGenerator<Finding, void, undefined> {
  yield { name: 'statek', status: 'ok', text: packageVersion() };
  yield node();
  yield* await engines();
  let application: Application;
  try {
    application = await session.application();
    yield configuration(application);
  } catch (error) {
    yield failed('configuration', error, 'Fix it first; the other checks depend on it.');
    return;
  }
  yield* await store(session, application);
  yield* examineModels(application);
}

function node(): Finding {
  const wanted = (
    JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { engines: { node: string } }
  ).engines.node;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = wanted.replace(/^\D+/, '').split('.').map(Number);
  const isSupported = major > minMajor || (major === minMajor && minor >= minMinor);
  return isSupported
    ? { name: 'node', status: 'ok', text: process.versions.node }
    : {
        name: 'node',
        status: 'fail',
        text: `${process.versions.node}; ${wanted} is required`,
        advice: `Install Node ${wanted}.`,
      };
}

async function engines(): Promise<Finding[]> {
  const [typescript, python] = await Promise.all([
    import('../../workspace/typescript/engine/build.ts'),
    import('../../workspace/python/engine/build.ts'),
  ]);
  return [
    check('engine typescript', () => `sha256 ${typescript.loadBuild().sha256}`),
    check('engine python', () => {
      const { wasm, library, image } = python.shippedBuild();
      for (const file of [wasm, library, image]) python.readShipped(file);
      return `sha256 ${wasm.sha256}`;
    }),
  ];
}

function configuration({ file, roles }: Application): Finding {
  if (file === undefined)
    return {
      name: 'configuration',
      status: 'warn',
      text: 'no statek.config.ts in this folder or above',
      advice: 'To inspect a store, --store is enough. To run jobs, create a project with statek init.',
    };
  return { name: 'configuration', status: 'ok', text: `${file}, roles: ${roles.join(', ') || 'none'}` };
}

async function store(session: Session, application: Application): Promise<Finding[]> {
  const { store: named } = application;
  if (named === undefined)
    return [
      {
        name: 'store',
        status: 'warn',
        text: 'no store is configured',
        advice: 'Pass --store FOLDER, or set store in statek.config.ts.',
      },
    ];
  const { location } = named;
  const findings: Finding[] = [];
  try {
    const kit = await session.kit('look');
    const { entries, bytes, problems } = await kit.store.verify();
    const text = `${shownLocation(location)} (${kit.store.features.engine}), ${entries} entries, ${bytesText(bytes)}`;
    findings.push(
      problems.length === 0
        ? { name: 'store', status: 'ok', text: `${text}, verified` }
        : {
            name: 'store',
            status: 'fail',
            text: `${text}; ${problems.length} corrupt: ${problems.slice(0, 3).join('; ')}`,
            advice: 'Restore the store from a backup; see STORE_CORRUPT in docs/errors.md.',
          },
      await clock(session),
      ...(await versions(session)),
      ...(await slow(session)),
      ...(await hot(session)),
    );
  } catch (error) {
    findings.push(failed('store', error));
  }
  if (typeof location === 'string' && isPath(location)) findings.push(disk(location));
  return findings;
}

/** Jobs that wait for a version of the application that no worker has. */
async function versions(session: Session): Promise<Finding[]> {
  const kit = await session.kit('look');
  const waiting = (await kit.queues()).flatMap(({ role, versions: all }) =>
    all.filter(({ jobs, claimed }) => jobs > 0 && claimed === 0).map((one) => ({ role, ...one })),
  );
  if (waiting.length === 0) return [];
  const texts = waiting.map(
    ({ role, jobs, version, pinned }) =>
      `${jobs} of the role '${role}' wait for version ${version}${pinned ? ' and no other' : ' or later'}`,
  );
  return [
    {
      name: 'versions',
      status: 'warn',
      text: `jobs that no worker may take: ${texts.join('; ')}`,
      advice: 'Start workers of that version, or let later ones take pinned jobs with statek unpin.',
    },
  ];
}

/** Slices of the last day that kept a process busy for long. On a busy machine a few are normal. */
async function slow(session: Session): Promise<Finding[]> {
  const day = Date.now() - 24 * 3_600_000;
  const slices = (await (await session.kit('look')).slowSlices()).filter(({ time }) => time.getTime() >= day);
  const worst = slices.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 3);
  if (worst.length === 0) return [];
  const isMuch = slices.length >= manySlowSlices;
  const texts = worst.map(
    ({ job, role, step, commit, milliseconds }) =>
      `${durationText(milliseconds)} in step ${step} of ${job} ('${role}'), commit ${commit.slice(0, 12)}`,
  );
  return [
    {
      name: 'slow slices',
      status: isMuch ? 'warn' : 'ok',
      text: `${slices.length}${slices.length >= 100 ? ' or more' : ''} in the last day: ${texts.join('; ')}`,
      ...(isMuch
        ? {
            advice:
              'Nothing else of their process could run meanwhile. Look at the steps with statek log and statek at; move long work into asynchronous tools.',
          }
        : {}),
    },
  ];
}

/** Objects over which something conflicted, in the last day. Now and then is normal. */
async function hot(session: Session): Promise<Finding[]> {
  const objects = await (await session.kit('look')).hotObjects();
  const hottest = objects.slice(0, 3);
  if (hottest.length === 0) return [];
  const isMuch = (hottest[0]?.conflicts ?? 0) >= manyConflicts;
  const texts = hottest.map(({ id, type = 'gone', conflicts }) => `${type} ${id} (${conflicts} conflicts)`);
  return [
    {
      name: 'hot objects',
      status: isMuch ? 'warn' : 'ok',
      text: `in the last day: ${texts.join(', ')}`,
      ...(isMuch
        ? { advice: 'Many slices change them at the same time and run again. Split them, or let one job change them.' }
        : {}),
    },
  ];
}

/** A clock that lags behind the newest stored time would delay timers. */
async function clock(session: Session): Promise<Finding> {
  const [latest] = await (await session.kit('look')).jobs({ limit: 1 });
  const now = Date.now();
  const ahead = latest === undefined ? 0 : Math.max(latest.created.getTime(), latest.updated.getTime()) - now;
  if (ahead > clockTolerance || now < Date.UTC(2025, 0))
    return {
      name: 'clock',
      status: 'warn',
      text: `${new Date(now).toISOString()}${ahead > clockTolerance ? `; the newest job was written ${durationText(ahead)} later` : ''}`,
      advice: 'Correct the clock of this machine, or of the one that wrote the job; timers depend on it.',
    };
  return { name: 'clock', status: 'ok', text: new Date(now).toISOString() };
}

function disk(location: string): Finding {
  let folder = resolve(location);
  while (!existsSync(folder)) folder = dirname(folder);
  return check('disk', () => {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const text = `${bytesText(free)} free`;
    if (free >= lowSpace) return text;
    return {
      name: 'disk',
      status: free < criticalSpace ? 'fail' : 'warn',
      text,
      advice: 'Free some disk space; statek gc drops old commits.',
    };
  });
}

function check(name: string, action: () => string | Finding): Finding {
  try {
    const found = action();
    return typeof found === 'string' ? { name, status: 'ok', text: found } : found;
  } catch (error) {
    return failed(name, error);
  }
}

function failed(name: string, error: unknown, advice?: string): Finding {
  const { code, message } = error as Partial<StatekError>;
  return { name, status: 'fail', text: `${code === undefined ? '' : `${code}: `}${message ?? String(error)}`, advice };
}
