// `statek init`: a new project that runs at once, without a key.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command, Given } from '../../line/command.ts';
import { RefusedError, UsageError } from '../../line/errors.ts';
import { packageFolder } from '../../line/own-package.ts';
import { harmless } from '../../output/style.ts';
import type { Session } from '../../session.ts';
import { projectFiles, type ProjectOptions } from '../../templates/project.ts';

const languages = ['typescript', 'python'];

export const init: Command = {
  name: 'init',
  group: 'Begin',
  summary:
    'make a new project in a folder: an agent, its prompt, a durable class, and a scripted model that needs no key',
  details: 'Asks for what is not said, on a terminal; with --yes, or elsewhere, it asks nothing.',
  arguments: [{ syntax: '[folder]', description: 'where; this folder unless told. It must be empty' }],
  options: [
    { flags: '-y, --yes', description: 'ask nothing' },
    { flags: '--name <name>', description: 'the name of the package; that of the folder unless told' },
    {
      flags: '--language <language>',
      description: 'what the agent and the first program write; the application itself is TypeScript',
      choices: languages,
    },
  ],
  examples: [
    ['init calendar --yes', 'then: cd calendar && npm install && npm start'],
    [
      'init --language python --store postgres://localhost/agents',
      'with an agent and a program in Python, on PostgreSQL',
    ],
  ],
  async run(session, given) {
    const folder = resolve(session.folder, given.optional('folder') ?? '.');
    refuseFull(folder);
    const options = await askFor(session, given, folder);
    const files = projectFiles(options);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { out } = session;
    if (out.isJson) {
      out.json({ folder, name: options.name, files: Object.keys(files) });
      return;
    }
    out.lines(Object.keys(files).map((path) => `${out.style.green('+')} ${path}`));
    const place = relative(session.folder, folder);
    out.note(`\nNow: ${place === '' ? '' : `cd ${harmless(place)} && `}npm install && npm start`);
  },
};

function refuseFull(folder: string): void {
  if (!existsSync(folder)) return;
  const first = readdirSync(folder).find((name) => name !== '.git');
  if (first !== undefined)
    throw new RefusedError(`${folder} is not empty: there is ${first}. Choose an empty folder, or a new one.`, {
      folder,
    });
}

async function askFor(session: Session, given: Given, folder: string): Promise<ProjectOptions> {
  const asks = !given.flag('yes') && !session.out.isJson && process.stdin.isTTY && process.stdout.isTTY;
  const input = asks ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  const ask = async (said: string | undefined, question: string, otherwise: string): Promise<string> => {
    if (said !== undefined || input === undefined) return said ?? otherwise;
    const answer = await session.unlessInterrupted(input.question(`${question} (${otherwise}) `));
    return answer.trim() === '' ? otherwise : answer.trim();
  };
  try {
    const name = nameOf(await ask(given.optional('name'), 'Name of the package?', suggestedName(folder)));
    const language = await ask(given.optional('language'), 'Programs in typescript or python?', 'typescript');
    if (!languages.includes(language))
      throw new UsageError(`There is no language '${language}'; there are typescript and python.`);
    const store = await ask(session.options.store, 'Where is the store: a folder, or postgres://…?', './data');
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
    `'${name}' cannot be the name of a package; use small letters, digits, - and _, as in my-agents.`,
  );
}

/** What this package was made with is known to fit. */
function versions(): ProjectOptions['versions'] {
  const { version, devDependencies = {} } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
    devDependencies?: Record<string, string>;
  };
  return { statek: version, typescript: devDependencies['typescript'], nodeTypes: devDependencies['@types/node'] };
}
