// What the doctor looks at. Each look is by itself: one that fails does not keep the others from being made.
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { StatekError } from '../../base/error.ts';
import { isPath, shownLocation, type Application } from '../application/application.ts';
import { packageFolder, packageVersion } from '../line/own-package.ts';
import { bytesText, span } from '../output/time.ts';
import type { Session } from '../session.ts';
import type { Finding } from './finding.ts';
import { examineModels } from './models.ts';

/** Less than this is worth a warning; SQLite needs room for its log, too. */
const littleSpace = 1024 ** 3;
const noSpace = 64 * 1024 ** 2;
/** Clocks of two machines differ a little. */
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
    yield failed('configuration', error, 'The other checks need it.');
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
  const [leastMajor = 0, leastMinor = 0] = wanted.replace(/^\D+/, '').split('.').map(Number);
  const isNew = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  return isNew
    ? { name: 'node', status: 'ok', text: process.versions.node }
    : {
        name: 'node',
        status: 'fail',
        text: `${process.versions.node}, and ${wanted} is needed`,
        advice: `Install Node ${wanted}.`,
      };
}

async function engines(): Promise<Finding[]> {
  const [typescript, python] = await Promise.all([
    import('../../workspace/typescript/engine/build.ts'),
    import('../../workspace/python/engine/build.ts'),
  ]);
  return [
    look('engine typescript', () => `sha256 ${typescript.loadBuild().sha256}`),
    look('engine python', () => {
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
      text: 'there is no statek.config.ts here or above',
      advice: 'Looking at a store works with --store alone; to run jobs, make a configuration: statek init.',
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
        text: 'none is named',
        advice: 'Give --store FOLDER, or name it in statek.config.ts.',
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
            text: `${text}; ${problems.length} damaged: ${problems.slice(0, 3).join('; ')}`,
            advice: 'Restore the store from a backup; see STORE_CORRUPT in docs/errors.md.',
          },
      await clock(session),
    );
  } catch (error) {
    findings.push(failed('store', error));
  }
  if (typeof location === 'string' && isPath(location)) findings.push(disk(location));
  return findings;
}

/** A clock that is behind what was written already would hold up timers. */
async function clock(session: Session): Promise<Finding> {
  const [latest] = await (await session.kit('look')).jobs({ limit: 1 });
  const now = Date.now();
  const ahead = latest === undefined ? 0 : Math.max(latest.created.getTime(), latest.updated.getTime()) - now;
  if (ahead > clockTolerance || now < Date.UTC(2025, 0))
    return {
      name: 'clock',
      status: 'warn',
      text: `${new Date(now).toISOString()}${ahead > clockTolerance ? `; the latest job was written ${span(ahead)} later than that` : ''}`,
      advice: 'Set the clock of this machine, or of the one that wrote it; timers follow it.',
    };
  return { name: 'clock', status: 'ok', text: new Date(now).toISOString() };
}

function disk(location: string): Finding {
  let folder = resolve(location);
  while (!existsSync(folder)) folder = dirname(folder);
  return look('disk', () => {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const text = `${bytesText(free)} free`;
    if (free >= littleSpace) return text;
    return {
      name: 'disk',
      status: free < noSpace ? 'fail' : 'warn',
      text,
      advice: 'Free some space; statek gc drops what retention does not keep.',
    };
  });
}

function look(name: string, action: () => string | Finding): Finding {
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
