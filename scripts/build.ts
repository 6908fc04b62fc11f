// Builds dist/, what the published package contains; `npm run build`.
import { join } from 'node:path';
import { build } from './support/build.ts';
import { main } from './support/run.ts';
import { root } from './support/source.ts';

await main(() => build(join(root, 'dist')));
