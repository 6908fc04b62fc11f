// Records the output of `npm start` and renders the picture in the README: `node scripts/record.ts`. With --render it only
// renders the existing recording; the same text gives the same picture.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordingOf } from './support/recording.ts';
import { root } from './support/source.ts';

const { values } = parseArgs({ options: { render: { type: 'boolean', default: false } } });
const pictures = join(root, 'docs/pictures');
const session = join(pictures, 'npm-start.ansi');

mkdirSync(pictures, { recursive: true });
if (!values.render) {
  const program = ['--import', './examples/from-source.ts', 'examples/calendar-assistant/main.ts'];
  const printed = execFileSync(process.execPath, program, { cwd: root, env: { ...process.env, FORCE_COLOR: '1' } });
  writeFileSync(session, `\u001b[32m$\u001b[0m npm start\n\n${printed.toString()}`);
}
const picture = recordingOf(readFileSync(session, 'utf8'), { columns: 104, rows: 34, title: 'npm start' });
writeFileSync(join(pictures, 'npm-start.svg'), picture);
console.log(`docs/pictures/npm-start.svg: ${(picture.length / 1024).toFixed(0)} KB`);
