// Creates a project that depends only on the packed package, with a lock file: so the check installs the same versions as
// the repository, which npm has in its cache, and needs no network.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './source.ts';

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

export function dependOnTarball(folder: string, tarball: string): void {
  const manifestPath = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as { name: string; version: string };
  const source = `file:${relative(folder, tarball)}`;
  writeFileSync(manifestPath, JSON.stringify({ ...manifest, dependencies: { statek: source } }));
  writeFileSync(join(folder, 'package-lock.json'), lockFile(manifest, source, tarball));
}

function lockFile({ name, version }: { name: string; version: string }, source: string, tarball: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const used = Object.entries(packages).filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional);
  const statek = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { license, bin, dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = statek;
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  return JSON.stringify({
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name, version, dependencies: { statek: source } },
      'node_modules/statek': {
        version: statek['version'],
        resolved: source,
        integrity,
        license,
        bin,
        dependencies,
        optionalDependencies,
        peerDependencies,
        peerDependenciesMeta,
      },
      ...Object.fromEntries(used),
    },
  });
}
