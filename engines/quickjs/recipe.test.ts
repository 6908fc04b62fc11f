// What is shipped is what the recipe makes. Making it takes a fraction of a second, so the test does that too.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeEngine, readSource, rewriterHash, rewriting, sha256, source } from './recipe.ts';

interface Manifest {
  builds: {
    sha256: string;
    bytes: number;
    file: string;
    source: unknown;
    rewriter: { sha256: string; options: unknown };
  }[];
}

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
const { builds } = JSON.parse(read('manifest.json').toString('utf8')) as Manifest;

it('lists every shipped engine with its hash', () => {
  for (const build of builds) {
    const file = read(build.file);
    expect(sha256(file)).toBe(build.sha256);
    expect(file.length).toBe(build.bytes);
  }
});

it('names the inputs the current engine was made from', () => {
  expect(builds[0]).toMatchObject({ source, rewriter: { sha256: rewriterHash(), options: rewriting } });
  expect(sha256(readSource())).toBe(source.sha256);
});

it('makes the same bytes again', () => {
  expect(sha256(makeEngine().file)).toBe(builds[0]?.sha256);
});

it('ships the licences', () => {
  const notice = read('NOTICE.md').toString('utf8');
  for (const part of ['quickjs-wasi (MIT)', 'QuickJS-NG (MIT)', 'Fabrice Bellard', 'wasi-libc', 'Unicode'])
    expect(notice).toContain(part);
});
