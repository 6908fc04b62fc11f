import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolders } from './make-folders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statek-folders-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('makes a folder and those it is in, and leaves one that is there', () => {
  const deep = join(folder, 'a/b/c');
  makeFolders(deep);
  makeFolders(deep);
  expect(statSync(deep).isDirectory()).toBe(true);
});

it('refuses a place that is a file, or below one', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeFolders(file)).toThrow('EEXIST');
  expect(() => makeFolders(join(file, 'below'))).toThrow('ENOTDIR');
});

it('refuses a place where nothing can be made', () => {
  expect(() => makeFolders('/proc/statek/deep/er')).toThrow('ENOENT');
});
