// Draws the pictures of the documentation into docs/pictures; `npm run docs:pictures`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictures } from './pictures/all.ts';
import { root } from './support/source.ts';

for (const [name, draw] of Object.entries(pictures)) writeFileSync(join(root, 'docs/pictures', name), draw());
console.log(`Drew ${Object.keys(pictures).join(', ')}.`);
