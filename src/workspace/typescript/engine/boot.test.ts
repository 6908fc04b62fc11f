import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bootImageName, makeBootImage } from './boot.ts';
import { loadBuild, shippedBuilds } from './build.ts';
import { EngineMissingError, ImageRefusedError } from './errors.ts';
import { bootCode } from './fixtures/boot-code.ts';
import { bootImage, quietHost, run, smallPool } from './fixtures/guest.ts';

it('is the same in every process, at any time, in any zone', () => {
  const modules = ['boot.ts', 'build.ts', 'fixtures/boot-code.ts'].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  );
  const script = `
    const [{ makeBootImage }, { loadBuild }, { bootCode }] = await Promise.all(${JSON.stringify(modules)}.map((path) => import(path)));
    process.stdout.write(makeBootImage(loadBuild(), bootCode).hash());`;
  const hashes = ['UTC', 'Asia/Tokyo'].map((zone) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, TZ: zone },
    }),
  );
  expect(hashes).toEqual([bootImage().hash(), bootImage().hash()]);
});

it('is named by the engine and the boot code', () => {
  const build = loadBuild();
  expect(bootImageName(build, 'a')).toMatch(/^[0-9a-f]{64}$/);
  expect(bootImageName(build, 'a')).not.toBe(bootImageName(build, 'b'));
  expect(bootImage().header).toMatchObject({ engine: build.sha256, format: 1, stackPointer: 1_048_576 });
  expect(shippedBuilds()).toContain(build.sha256);
  expect(() => loadBuild('0'.repeat(64))).toThrow(EngineMissingError);
});

it('runs promise jobs of boot code, and gives the host function to boot code alone', () => {
  const image = makeBootImage(
    loadBuild(),
    '(host) => { Promise.resolve().then(() => { globalThis.ready = true }); return () => host(1) }',
  );
  using machine = smallPool().acquire(image, { host: { ...quietHost, call: () => 'answer' } });
  expect(run(machine, 'ready + " " + typeof host')).toBe('true undefined');
  expect(machine.enter()).toMatchObject({ value: 'answer' });
});

it('refuses boot code that returns no function, throws or calls the host', () => {
  for (const source of [
    '1',
    '() => 1',
    'syntax error',
    '() => { throw new Error("no") }',
    bootCode.replace('return (', 'return 1; ('),
  ]) {
    expect(() => makeBootImage(loadBuild(), source)).toThrow(ImageRefusedError);
  }
  expect(() => makeBootImage(loadBuild(), '(host) => { host(1); return () => 1 }')).toThrow(
    'boot code cannot call the host',
  );
});
