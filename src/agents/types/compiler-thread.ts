// Speaks to the TypeScript compiler, in a thread of its own: what goes wrong in the compiler's own code ends this thread,
// and never the process. The compiler sees the files it is given and its library, and nothing else of this machine.
import { parentPort } from 'node:worker_threads';
import { API, DiagnosticCategory } from 'typescript/unstable/async';
import type { CompilerAnswer, CompilerQuestion } from './compiler-messages.ts';

const folder = '/statek';
const config = JSON.stringify({
  compilerOptions: {
    target: 'esnext',
    module: 'esnext',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    allowImportingTsExtensions: true,
    lib: ['esnext'],
    types: [],
    strict: false,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
});
const library = /[\\/]typescript-[\w-]+[\\/]lib[\\/]lib(?:\.[\w.]+)?\.d\.ts$/;

const projects = new Map<string, ReadonlyMap<string, string>>();
const api = new API({
  cwd: folder,
  fs: {
    readFile: (path) => (library.test(path) ? undefined : (fileAt(path) ?? null)),
    fileExists: (path) => (library.test(path) ? undefined : fileAt(path) !== undefined),
    directoryExists: (path) => path === folder || projects.has(path.slice(folder.length + 1)),
    getAccessibleEntries: (path) => ({
      files: [...(projects.get(path.slice(folder.length + 1))?.keys() ?? [])],
      directories: path === folder ? [...projects.keys()] : [],
    }),
    realpath: (path) => path,
  },
});

function fileAt(path: string): string | undefined {
  const [project = '', name = '', ...more] = path.slice(folder.length + 1).split('/');
  return path.startsWith(`${folder}/`) && more.length === 0 ? projects.get(project)?.get(name) : undefined;
}

const answer = (message: CompilerAnswer): void => parentPort?.postMessage(message);

async function check({ project, files, file }: CompilerQuestion): Promise<void> {
  const before = projects.get(project);
  const now = new Map([...files, ['tsconfig.json', config]]);
  projects.set(project, now);
  const path = (name: string): string => `${folder}/${project}/${name}`;
  const names = [...now.keys()].filter((name) => name !== 'tsconfig.json');
  const updated = api.updateSnapshot({
    ...(before === undefined ? { openProjects: [path('tsconfig.json')] } : {}),
    fileChanges: {
      created: names.filter((name) => before?.has(name) !== true).map(path),
      changed: names.filter((name) => before?.has(name) === true && before.get(name) !== now.get(name)).map(path),
      deleted: [...(before?.keys() ?? [])].filter((name) => !now.has(name)).map(path),
    },
  });
  // The API does not tell which process it has started; without it, only this thread could be ended.
  setTimeout(() => answer({ process: processOf(api) }), 0);
  const snapshot = await updated;
  answer({ process: processOf(api) });
  const found = (await snapshot.getProject(path('tsconfig.json'))?.program.getSemanticDiagnostics(path(file))) ?? [];
  answer({
    found: found
      .filter(({ category }) => category === DiagnosticCategory.Error)
      .map(({ code, pos, text, messageChain = [] }) => ({
        code,
        start: pos,
        message: [text, ...messageChain.slice(0, 2).flatMap((one) => deepest(one))].join(' '),
      })),
  });
}

interface Message {
  readonly text: string;
  readonly messageChain?: readonly Message[] | undefined;
}

/** The last words of a chain of reasons say what is the matter. */
function deepest({ text, messageChain = [] }: Message): string[] {
  const [next] = messageChain;
  return next === undefined ? [text] : deepest(next);
}

function processOf(of: unknown): number | undefined {
  return (of as { client?: { process?: { pid?: number } } }).client?.process?.pid;
}

parentPort?.on('message', (question: CompilerQuestion) => {
  // What is thrown ends the thread, which is how the other side learns of it.
  void check(question);
});
