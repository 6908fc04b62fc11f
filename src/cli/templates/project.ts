// The files of a new project, written for readers who see Statek for the first time.
import { assistantScript, assistantSource, calendarSource, configSource, promptText } from './sources.ts';
import { programCompilerOptions, programTypes } from './program-types.ts';
import { firstProgram } from './programs.ts';

export interface ProjectOptions {
  readonly name: string;
  readonly language: 'typescript' | 'python';
  readonly store: string;
  readonly versions: {
    readonly statek: string;
    readonly typescript: string | undefined;
    readonly nodeTypes: string | undefined;
    readonly redisClient: string | undefined;
  };
}

/** Texts by their paths. */
export function projectFiles(options: ProjectOptions): Record<string, string> {
  const program = firstProgram(options.language);
  return {
    'package.json': `${JSON.stringify(manifest(options, program.path), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(compilerOptions, null, 2)}\n`,
    '.gitignore': 'node_modules\n.env\n/data\n',
    '.env.example': environment,
    'README.md': readme(options, program.path),
    'statek.config.ts': configSource(options.store),
    'calendar.ts': calendarSource,
    'assistant.ts': assistantSource(options.language),
    'script.ts': assistantScript(options.language),
    'prompts/assistant.md': promptText(options.language),
    [program.path]: program.text,
    ...(options.language === 'typescript'
      ? {
          'programs/statek.d.ts': programTypes(''),
          'programs/tsconfig.json': `${JSON.stringify(programCompilerOptions, null, 2)}\n`,
        }
      : {}),
  };
}

function manifest({ name, language, store, versions }: ProjectOptions, program: string): object {
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'statek run --role assistant --message "Book the planning on Thursday"',
      program: `statek run ${program}`,
      worker: 'statek worker',
      typecheck: language === 'typescript' ? 'tsc --noEmit && tsc --project programs' : 'tsc --noEmit',
    },
    dependencies: {
      ...(/^rediss?:/.test(store) && versions.redisClient !== undefined
        ? { '@redis/client': versions.redisClient }
        : {}),
      statek: versions.statek,
    },
    devDependencies: {
      ...(versions.nodeTypes === undefined ? {} : { '@types/node': versions.nodeTypes }),
      ...(versions.typescript === undefined ? {} : { typescript: versions.typescript }),
    },
    engines: { node: '>=22.18' },
  };
}

const compilerOptions = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
  },
  // Programs run in a workspace and have their own tsconfig.json.
  exclude: ['programs', 'node_modules'],
};

const environment = `# Copy this file to .env and set the key of your provider. Then change MODEL in prompts/assistant.md.
# OPENAI_API_KEY=
# ANTHROPIC_API_KEY=
# GOOGLE_API_KEY=
`;

function readme({ name, language, store }: ProjectOptions, program: string): string {
  const title = language === 'python' ? 'Python' : 'TypeScript';
  return `# ${name}

An agent that writes ${title} in a durable workspace, made with [Statek](https://www.npmjs.com/package/statek).

\`\`\`sh
npm install
npm start              # runs a job of the agent with a scripted model: no API key needed
npm run program        # ${program}, a program that keeps its variables
npx statek jobs        # lists the jobs
npx statek locals main # shows the variables of the program
npx statek repl main   # continues it at a prompt
\`\`\`

| file | |
| --- | --- |
| \`statek.config.ts\` | the configuration of the application; its data is stored in \`${store.replace(/:[^:@/]*@/, ':…@')}\` |
| \`assistant.ts\` | the agent and its tools |
| \`prompts/assistant.md\` | its prompt and its model |
| \`calendar.ts\` | durable classes: their objects are saved automatically |
| \`script.ts\` | a scripted model |
| \`${program}\` | a first program |
${language === 'typescript' ? '| `programs/statek.d.ts` | the globals of programs, for your editor; `npx statek types` updates it |\n' : ''}
To use a real model, copy \`.env.example\` to \`.env\`, put your API key into it, and set \`MODEL\` in \`prompts/assistant.md\`, for
example to \`openai/gpt-5-mini\`. \`npx statek doctor\` checks the setup.
`;
}
