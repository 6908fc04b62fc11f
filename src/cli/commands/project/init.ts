// `statek init`: creates a project that runs immediately, without an API key.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { makeFolders } from '../../../base/make-folders.ts';
import type { Command, Given } from '../../line/command.ts';
import { RefusedError, UsageError } from '../../line/errors.ts';
import { packageFolder } from '../../../base/package.ts';
import { harmless } from '../../output/style.ts';
import type { Session } from '../../session.ts';
import { projectFiles, type ProjectOptions } from '../../templates/project.ts';

const languages = ['typescript', 'python'];

export const init: Command = {
  name: 'init',
  group: 'Begin',
  summary: 'create a project: an agent, its prompt, a durable class and a scripted model that needs no API key',
  details: 'On a terminal it prompts for missing options; --yes takes the defaults.',
  arguments: [{ syntax: '[folder]', description: 'an empty or new folder (default: this folder)' }],
  options: [
    { flags: '-y, --yes', description: 'do not prompt' },
    { flags: '--name <name>', description: 'the name of the package (default: the name of the folder)' },
    {
      flags: '--language <language>',
      description:
        'the language of the agent and the first program (default: typescript); the application itself is TypeScript',
      choices: languages,
    },
  ],
  examples: [
    ['init calendar --yes', 'then: cd calendar && npm install && npm start'],
    ['init --language python --store postgres://localhost/agents', 'an agent and a program in Python, on PostgreSQL'],
  ],
  async run(session, given) {
    const folder = resolve(session.folder, given.optional('folder') ?? '.');
    checkEmpty(folder);
    const options = await askFor(session, given, folder);
    const files = projectFiles(options);
    for (const [path, text] of Object.entries(files)) {
      makeFolder(dirname(join(folder, path)));
      writeFileSync(join(folder, path), text);
    }
    const { out } = session;
    if (out.isJson) {
      out.json({ folder, name: options.name, files: Object.keys(files) });
      return;
    }
    out.lines(Object.keys(files).map((path) => `${out.style.green('+')} ${path}`));
    const place = relative(session.folder, folder);
    out.note(`\nNow: ${place === '' ? '' : `cd ${inShell(harmless(place))} && `}npm install && npm start`);
  },
};

function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    throw new UsageError(`Cannot make ${folder}: ${(error as Error).message}. Choose another folder.`, {}, error);
  }
}

function checkEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new RefusedError(`${folder} is a file. Choose an empty or new folder.`);
  const first = readdirSync(folder).find((name) => name !== '.git');
  if (first !== undefined)
    throw new RefusedError(`${folder} is not empty: it contains ${first}. Choose an empty or new folder.`, {
      folder,
    });
}

async function askFor(session: Session, given: Given, folder: string): Promise<ProjectOptions> {
  const isInteractive = !given.flag('yes') && !session.out.isJson && process.stdin.isTTY && process.stdout.isTTY;
  const input = isInteractive ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  const ask = async (option: string | undefined, question: string, fallback: string): Promise<string> => {
    if (option !== undefined || input === undefined) return option ?? fallback;
    const answer = await session.unlessInterrupted(input.question(`${question} (${fallback}) `));
    return answer.trim() === '' ? fallback : answer.trim();
  };
  try {
    const name = nameOf(await ask(given.optional('name'), 'Name of the package?', suggestedName(folder)));
    const language = await ask(given.optional('language'), 'Programs in typescript or python?', 'typescript');
    if (!languages.includes(language))
      throw new UsageError(`Unknown language '${language}'. Choose typescript or python.`);
    const store = await ask(
      session.options.store,
      'Where is the store: a folder, postgres://… or redis://…?',
      './data',
    );
    return { name, language: language as ProjectOptions['language'], store, versions: versions() };
  } finally {
    input?.close();
  }
}

function suggestedName(folder: string): string {
  const plain = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return plain === '' ? 'agents' : plain;
}

function nameOf(name: string): string {
  if (/^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*$/.test(name) && name.length <= 200) return name;
  throw new UsageError(
    `'${name}' is not a valid package name. Use lower-case letters, digits, - and _, as in my-agents.`,
  );
}

/** The versions this package was built and tested with. */
function versions(): ProjectOptions['versions'] {
  const { version, devDependencies = {} } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
    devDependencies?: Record<string, string>;
  };
  return {
    statek: version,
    typescript: devDependencies['typescript'],
    nodeTypes: devDependencies['@types/node'],
    redisClient: devDependencies['@redis/client'],
  };
}

/** A path as a shell takes it. */
function inShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
