// `npm run build:quickjs`: makes engine.wasm from the recipe and writes down what it is made of. With --check nothing is written,
// and a difference to what is shipped fails.
import { readFileSync, writeFileSync } from 'node:fs';
import { wasm } from '../../src/workspace/wasm/wasm.ts';
import { goesOnWith, makeEngine, rewriterHash, rewriting, sha256, source } from './recipe.ts';

const engineFile = new URL('engine.wasm', import.meta.url);
const manifestFile = new URL('manifest.json', import.meta.url);

const { file, report } = makeEngine();
if (!wasm.validate(new Uint8Array(file))) throw new Error('the rewritten engine is not valid WASM');

const build = {
  sha256: sha256(file),
  bytes: file.length,
  file: 'engine.wasm',
  goesOnWith,
  source,
  rewriter: { sha256: rewriterHash(), options: rewriting, report },
};
// The first build is the one new workspaces start on; older released ones stay listed so that their images go on.
const manifest = `${JSON.stringify({ builds: [build] }, null, 2)}\n`;

if (process.argv.includes('--check')) {
  const shipped = sha256(readFileSync(engineFile));
  if (shipped !== build.sha256) throw new Error(`shipped engine.wasm is ${shipped}, the recipe makes ${build.sha256}`);
  if (readFileSync(manifestFile, 'utf8') !== manifest) throw new Error('manifest.json is not what the recipe makes');
} else {
  writeFileSync(engineFile, file);
  writeFileSync(manifestFile, manifest);
}
process.stdout.write(`engine.wasm ${build.sha256} ${build.bytes} bytes, ${JSON.stringify(report)}\n`);
