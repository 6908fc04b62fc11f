// `npm run example fleet`: runs one example by its name; without a name it says which there are.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const isExample = (folder: string): boolean => existsSync(join(import.meta.dirname, folder, 'main.ts'));
const [name = '', ...options] = process.argv.slice(2);

if (/^[\w-]+$/.test(name) && isExample(name)) {
  process.argv.splice(1, process.argv.length - 1, join(import.meta.dirname, name, 'main.ts'), ...options);
  await import(`./${name}/main.ts`);
} else {
  const names = readdirSync(import.meta.dirname).filter(isExample);
  console.log(`${name === '' ? 'Which one?' : `There is no example '${name}'.`} npm run example ${names.join(' | ')}`);
  process.exitCode = name === '' ? 0 : 1;
}
