// Checks that docs/errors.md explains exactly the error codes in src/; `npm run check:errors`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkErrors, errorCodesIn } from './checks/errors.ts';
import { readSourceFiles, root } from './support/source.ts';

const files = readSourceFiles('src').filter(({ path }) => !path.endsWith('.test.ts'));
const page = join(root, 'docs/errors.md');
const problems = checkErrors(files, existsSync(page) ? readFileSync(page, 'utf8') : '');

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${files.flatMap((file) => errorCodesIn(file).codes).length} error codes are documented.`);
