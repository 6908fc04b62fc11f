// Builds the inspector, the page in web/, with Vite. The package ships the result in dist/inspector. From the sources it is
// served from web/dist, which `upToDateInspector` builds again when a source has changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './source.ts';

const web = join(root, 'web');
const built = join(web, 'dist');
const marker = join(built, '.sources');
const lock = join(web, '.building');
const abandonedMilliseconds = 120_000;

export async function buildInspector(folder: string): Promise<void> {
  await build({
    root: web,
    configFile: false,
    // Relative, so that it works under any prefix.
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      // A small file inside a stylesheet would need a looser content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}

/** Builds web/dist if there is none, or if it was made from other sources. Several processes may want it at once: one builds it. */
export async function upToDateInspector(): Promise<void> {
  const sources = hashOfSources();
  const isThere = (): boolean => existsSync(marker) && readFileSync(marker, 'utf8') === sources;
  while (!isThere()) {
    if (!isLocked()) {
      await setTimeout(100);
      continue;
    }
    try {
      if (isThere()) return;
      // Elsewhere first: whoever reads web/dist meanwhile never sees half of it.
      const made = join(lock, 'dist');
      await buildInspector(made);
      writeFileSync(join(made, '.sources'), sources);
      rmSync(built, { recursive: true, force: true });
      renameSync(made, built);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

/** Whether this process holds the lock now. One that was killed while it built is not waited for. */
function isLocked(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.ctimeMs ?? Date.now());
    if (age > abandonedMilliseconds) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const files = ['index.html', ...readdirSync(join(web, 'src'), { recursive: true, encoding: 'utf8' }).toSorted()];
  for (const name of files) {
    const path = name === 'index.html' ? join(web, name) : join(web, 'src', name);
    if (/\.\w+$/.test(name)) hash.update(name).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Bytes after compression: of what the first screen loads, and of everything. */
export interface InspectorSize {
  readonly first: number;
  readonly all: number;
}

export function inspectorSize(folder: string): InspectorSize {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
  const size = (name: string): number => gzipSync(readFileSync(join(folder, name))).byteLength;
  let first = 0;
  let all = 0;
  for (const name of names) {
    const bytes = size(name);
    all += bytes;
    if (name === 'index.html' || page.includes(name.replaceAll('\\', '/'))) first += bytes;
  }
  return { first, all };
}
