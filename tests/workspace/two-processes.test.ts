// Several processes use one workspace at the same time: their steps come one after another, and none is lost or doubled.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';

it('runs the steps of three processes one at a time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-processes-'));
  try {
    const kit = await Statek.open({ store: folder });
    await (await kit.workspace('shared')).run('let count = 0;');
    await kit.close();
    const children = [1, 2, 3].map(() => fork(join(import.meta.dirname, 'children/count-child.ts'), [folder, '15']));
    const answers = await Promise.all(children.map(async (child) => ((await once(child, 'message')) as [number[]])[0]));
    const counted = answers.flat().toSorted((a, b) => a - b);
    expect(counted).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
    for (const own of answers) expect(own).toEqual(own.toSorted((a, b) => a - b));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
