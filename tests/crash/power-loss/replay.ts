// Cuts the power at chosen lines of a recording and compares what the disk kept with what was acknowledged by then.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { everyCollection } from '../collections.ts';
import { compare } from '../compare.ts';
import { Model } from '../model.ts';
import { openPlace } from '../place.ts';
import type { Problem } from '../problem.ts';
import { Random } from '../random.ts';
import { Disk } from './disk.ts';
import { journalAt, type Recording } from './record.ts';

export interface Cut {
  readonly line: number;
  /** Whether a random part of what was not synced is kept as well. */
  readonly torn: boolean;
  readonly seed: number;
}

/** Random cuts, half of them right after an acknowledgement began, where most was promised and least may be on the disk. */
export function randomCuts({ trace, journalFile }: Recording, count: number, random: Random): Cut[] {
  const acknowledgements = trace.calls.filter(
    (call) => call.kind === 'append' && call.path === journalFile && call.data.includes('"answer"'),
  );
  return Array.from({ length: count }, (_, index) => ({
    line: index % 2 === 0 ? random.between(0, trace.lines) : random.pick(acknowledgements).began + 1,
    torn: random.chance(0.5),
    seed: random.seed(),
  }));
}

export interface CutReport {
  readonly acknowledged: number;
  readonly problems: readonly Problem[];
}

export async function replay(recording: Recording, { line, torn, seed }: Cut): Promise<CutReport> {
  const random = new Random(seed);
  const folder = mkdtempSync(join(tmpdir(), 'statek-power-loss-'));
  try {
    new Disk(recording.trace, recording.folder, line).writeTo(folder, torn ? random : undefined);
    const file = join(folder, basename(recording.file));
    const store = await openPlace({ engine: 'sqlite', file, durability: 'relaxed' });
    try {
      await store.declare(...everyCollection);
      return await compare(store, new Model(), [journalAt(recording, line)], random);
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
