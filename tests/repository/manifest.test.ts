// What a clone installs is decided by the repository alone: exact versions, from whatever registry the machine uses.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly allowScripts: Record<string, boolean>;
}

interface LockFile {
  readonly packages: Record<
    string,
    { version?: string; integrity?: string; hasInstallScript?: boolean; optionalDependencies?: Record<string, string> }
  >;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as unknown;
const manifest = read('package.json') as Manifest;
const packages = Object.entries((read('package-lock.json') as LockFile).packages).filter(([path]) => path !== '');

it('pins every dependency to one version', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it('locks every package by its content, and names no registry', () => {
  expect(packages.filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
  expect(JSON.stringify(packages)).not.toContain('"resolved"');
});

it('locks the packages of other platforms too', () => {
  const paths = new Set(packages.map(([path]) => path));
  const missing = packages.flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).filter(
      (name) => !paths.has(`node_modules/${name}`) && !paths.has(`${path}/node_modules/${name}`),
    ),
  );
  expect(missing).toEqual([]);
});

it('has no install scripts but the approved ones', () => {
  const withScript = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
  const approved = Object.keys(manifest.allowScripts).map((name) => `node_modules/${name}`);
  expect(withScript.filter((path) => !path.endsWith('/fsevents'))).toEqual(approved);
});
