// Follows the page for newcomers from its first line to its last, from the sources. The check of the packed package follows it and
// three guides with what users install.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { followPage } from './follow.ts';
import { followedPages, root, withEntryPoints } from './support.ts';

it('leads from an empty folder to a program that was killed and is done', async () => {
  const [page = ''] = followedPages;
  const followed = await followPage(join(root, page), {
    instead: 'npm ',
    install: (folder) => writeFileSync(join(folder, 'package.json'), '{ "type": "module" }'),
    edit: withEntryPoints,
  });
  expect(followed).toEqual({ saved: 4, compared: 5, kills: 1 });
}, 180_000);
