// Checks the imports of src/ against its layers; `npm run check:layers`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkLayers } from './checks/layers.ts';
import { readSourceFiles, root } from './support/source.ts';

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const files = readSourceFiles('src');
const problems = checkLayers({
  files,
  dependencies: Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  }),
});

for (const { path, line, message } of problems) console.error(`${path}:${line} ${message}`);
if (problems.length > 0) process.exitCode = 1;
else console.log(`The imports of ${files.length} files respect the layers.`);
