// What a model says around its code: kept with the code, without moving its lines.
import { expect, it } from 'vitest';
import { stepRows } from '../../src/workspace/rows.ts';
import { lastMessage, played, type Stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

async function sources({ kit }: Stage, job: string): Promise<string[]> {
  const page = await kit.store.scan(stepRows, { prefix: [job] });
  return page.entries.map(({ value }) => value.source);
}

it('keeps the prose of MARKDOWN as comments of the code it stands around', async () => {
  const reply = `First I count.\n\nSlowly.\n${ts('print(1)')}\nThen again:\n${ts('print(2)')}\nThat was it.`;
  const stage = await played({}, [reply, ts('exit()')]);
  expect(await sources(stage, stage.job.id)).toEqual([
    '// First I count.\n//\n// Slowly.\nprint(1)',
    '// Then again:\nprint(2)\n// That was it.',
    'exit()',
  ]);
});

it('tells lines of the model’s own code, whatever prose stands before it', async () => {
  const stage = await played({}, [`One.\nTwo.\n${ts('const a = 1;', 'throw new RangeError("far")')}`, ts('exit()')]);
  expect(lastMessage(stage.model, 2)).toBe(
    'RangeError: far (line 2, column 11)\n  1 | const a = 1;\n> 2 | throw new RangeError("far")\n    |           ^',
  );
});

it('makes comments of what is said around fences in a console, line by line', async () => {
  const stage = await played({ chatStyle: 'CONSOLE' }, [
    `I look.\n\n${ts('print(1)')}\nNow more:\n${ts('throw new Error("here")')}\nDone.`,
    '// only code\nexit()',
  ]);
  expect(await sources(stage, stage.job.id)).toEqual([
    '// I look.\n\n\nprint(1)\n\n// Now more:\n\nthrow new Error("here")\n\n// Done.',
    '// only code\nexit()',
  ]);
  expect(lastMessage(stage.model, 2)).toContain('> Error: here (line 8, column 11)');
});

it('keeps no prose with code in a dialog, where it is for the user', async () => {
  const stage = await played({ chatStyle: 'MD_DIALOG' }, [`Wait.\n${ts('print(1)')}`, 'Done.']);
  expect(await sources(stage, stage.job.id)).toEqual(['print(1)']);
});
