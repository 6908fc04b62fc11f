// Packs the package as it is published, from a copy, so that it neither needs nor disturbs dist/.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.ts';
import { mustRun } from './run.ts';
import { root } from './source.ts';

/** Returns the path of the tarball. The copy is in `package` below `temporary`; with `built`, that build is packed. */
export async function pack(temporary: string, built?: string): Promise<string> {
  const folder = join(temporary, 'package');
  mkdirSync(folder);
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'deploy', 'docs', 'engines']) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  if (built === undefined) await build(join(folder, 'dist'));
  else cpSync(built, join(folder, 'dist'), { recursive: true });
  await mustRun('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', temporary], { folder });
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  return join(temporary, `${name}-${version}.tgz`);
}
