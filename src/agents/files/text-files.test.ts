// Files of the machine, and files in memory that behave like them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskFiles, MemoryFiles } from './text-files.ts';

test('disk and memory say the same', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-files-'));
  try {
    mkdirSync(join(folder, 'a/deep'), { recursive: true });
    writeFileSync(join(folder, 'z.md'), 'z');
    writeFileSync(join(folder, 'a/deep/b.md'), 'b');
    writeFileSync(join(folder, '.hidden'), 'x');
    symlinkSync(folder, join(folder, 'a/circle'));
    symlinkSync(join(folder, 'z.md'), join(folder, 'link.md'));
    expect(diskFiles.list(folder)).toEqual(['a/deep/b.md', 'link.md', 'z.md']);
    expect(diskFiles.read(join(folder, 'z.md'))).toBe('z');
    expect(diskFiles.stat(join(folder, 'z.md'))?.size).toBe(1);
    expect(diskFiles.stat(join(folder, 'a'))).toBeUndefined();
    expect(diskFiles.stat(join(folder, 'none'))).toBeUndefined();
    expect(diskFiles.list(join(folder, 'none'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const memory = new MemoryFiles({ 'x/z.md': 'z', 'x/a/deep/b.md': 'b', 'y.md': '' });
  expect(memory.list('x')).toEqual(['a/deep/b.md', 'z.md']);
  expect(memory.stat('none')).toBeUndefined();
});
