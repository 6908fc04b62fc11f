// A calendar assistant that is killed in the middle of its work and goes on. No key, no network, no service:
//   npm start [-- --json | --live [--model provider/name] | --python | --inspect | --keep | --store folder]
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inspectUntilInterrupted } from './inspect.ts';
import { liveModel } from '../live.ts';
import { reportOn, shown } from './report.ts';
import { Story } from './story.ts';
import { chapter, paint, silence, terminal } from './terminal.ts';

try {
  await main();
} catch (error) {
  console.error(paint('red', (error as Error).message));
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      live: { type: 'boolean', default: false },
      python: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      inspect: { type: 'boolean', default: false },
      model: { type: 'string' },
      store: { type: 'string' },
    },
  });
  const { json, live, python, keep, inspect, store } = values;
  if (values.model !== undefined && !live) throw new Error('--model names a real model: use it together with --live.');
  const model = live ? liveModel(values.model, process.env) : undefined;
  const folder = store === undefined ? mkdtempSync(join(tmpdir(), 'statek-')) : resolve(store);
  if (existsSync(join(folder, 'store')))
    throw new Error(
      `There is a store in '${folder}' already, and the story begins with an empty one. Name another folder.`,
    );
  const isKept = keep || store !== undefined;
  const language = python ? 'python' : 'typescript';
  const teller = json ? silence : terminal;

  teller.say(paint('bold', "Statek: an agent's program that survives kill -9"));
  teller.say(
    model === undefined
      ? paint('dim', 'The model is scripted; everything else is real: the agents, the store, the processes, the kill.')
      : paint('dim', `The model is ${model}.`),
  );
  const story = await Story.begin({ folder, language, model }, teller);
  try {
    const played = await story.play();
    const report = await reportOn(played, { language, model: model ?? 'scripted', store: isKept ? folder : undefined });
    if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    for (const part of shown(report)) {
      teller.say(part);
      await teller.pause(500);
    }
    teller.say(chapter('That was'));
    teller.say(`  A program that a model wrote, on objects of an application, was killed in the middle of a loop and
  went on in another process: nothing lost, nothing done twice, every moment of it kept.${isKept ? `\n  The store: ${folder}` : ''}
  Next: docs/getting-started.md, examples/README.md, or npm start -- --live with a real model.`);
    if (inspect) await inspectUntilInterrupted(played.kit, played.thread);
  } finally {
    await story.close();
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}
