// Checks which folder under src/ may import which, according to docs/architecture.md.
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { moduleReferences } from '../support/source.ts';
import type { SourceFile } from '../support/source.ts';
import { findCycles } from './cycles.ts';

/** Bottom up: a layer may import from itself and from those before it. */
export const layers: readonly string[] = [
  'base',
  'store',
  'history',
  'objects',
  'workspace',
  'jobs',
  'models',
  'agents',
  'state',
  'kit',
  'server',
  'cli',
];

/**
 * Layers that others use through one module, their door: what is not in it is the layer's own. The command line is the
 * exception: each command imports what it needs where it is defined, so that `statek --help` loads little.
 */
const doors: ReadonlySet<string> = new Set([
  'store',
  'history',
  'objects',
  'workspace',
  'jobs',
  'models',
  'agents',
  'state',
]);
const layersWithoutDoors: ReadonlySet<string> = new Set(['cli']);

/** Forbidden pairs that the order alone would allow. */
const refusedPairs: Readonly<Record<string, readonly string[]>> = { models: ['jobs'] };

/** The entry points: each re-exports from anywhere, and nothing inside may import it. */
const publicFiles: ReadonlySet<string> = new Set(
  ['index', 'types', 'store', 'models', 'postgres', 'redis', 'mcp', 'server', 'client', 'state', 'testing'].map(
    (name) => `src/${name}.ts`,
  ),
);

export interface LayerProblem {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export interface LayerInput {
  readonly files: readonly SourceFile[];
  /** Names in the package's dependencies, optional and peer dependencies. */
  readonly dependencies: readonly string[];
}

export function checkLayers({ files, dependencies }: LayerInput): LayerProblem[] {
  const problems: LayerProblem[] = [];
  const known = new Set(files.map(({ path }) => path));
  const graph = new Map<string, string[]>();
  for (const file of files) {
    const edges: string[] = [];
    graph.set(file.path, edges);
    const place = placeOf(file.path);
    if (place === undefined) {
      problems.push({ path: file.path, line: 1, message: `belongs to no layer; the layers are ${layers.join(', ')}` });
      continue;
    }
    for (const { specifier, line } of moduleReferences(file)) {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : undefined;
      const message =
        target === undefined
          ? refusePackage(file.path, specifier, dependencies)
          : refuseFile(file.path, place, target, known);
      if (message !== undefined) problems.push({ path: file.path, line, message });
      if (target !== undefined && known.has(target)) edges.push(target);
    }
  }
  for (const cycle of findCycles(graph)) {
    problems.push({ path: cycle[0] ?? '', line: 1, message: `imports itself in a circle: ${cycle.join(' → ')}` });
  }
  return problems;
}

function placeOf(path: string): string | undefined {
  if (publicFiles.has(path)) return 'public';
  const [, folder, file] = path.split('/');
  return file !== undefined && folder !== undefined && layers.includes(folder) ? folder : undefined;
}

function refuseFile(path: string, place: string, target: string, known: ReadonlySet<string>): string | undefined {
  if (!target.startsWith('src/')) {
    if (isTest(path) && target.startsWith('tests/')) return undefined;
    return `imports ${target}, which is outside src/ and not part of the package`;
  }
  if (!known.has(target)) return `imports ${target}, which does not exist`;
  if (isTest(target)) return `imports the test ${target}`;
  const targetPlace = placeOf(target);
  if (targetPlace === 'public') return `imports the public list ${target}; import from where the name is defined`;
  if (place === 'public' || targetPlace === undefined) return undefined;
  if (layers.indexOf(targetPlace) > layers.indexOf(place)) {
    return `imports ${target}: ${place} comes before ${targetPlace} and must not know it`;
  }
  if (refusedPairs[place]?.includes(targetPlace) === true) {
    return `imports ${target}: ${place} must know nothing of ${targetPlace}`;
  }
  const door = `src/${targetPlace}/door.ts`;
  const isPastDoor = place !== targetPlace && doors.has(targetPlace) && target !== door;
  if (isPastDoor && !layersWithoutDoors.has(place) && !isTest(path) && known.has(door))
    return `imports ${target} past the door of ${targetPlace}; import from ${door}, and add the name there if others need it`;
  return undefined;
}

function refusePackage(path: string, specifier: string, dependencies: readonly string[]): string | undefined {
  if (specifier.startsWith('node:')) return undefined;
  if (builtinModules.includes(specifier)) return `imports '${specifier}'; write 'node:${specifier}'`;
  const parts = specifier.split('/');
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  if (name === 'statek') return `imports '${specifier}', the package itself; use a relative path`;
  if (dependencies.includes(name) || isTest(path)) return undefined;
  return `imports '${name}', which is not among the package's dependencies`;
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}
