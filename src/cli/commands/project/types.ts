// `statek types`: declares the globals of programs, for editors and compilers.
import { existsSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { makeFolders } from '../../../base/make-folders.ts';
import type { Command } from '../../line/command.ts';
import { harmless } from '../../output/style.ts';
import type { Session } from '../../session.ts';
import { programCompilerOptions, programTypes } from '../../templates/program-types.ts';

export const types: Command = {
  name: 'types',
  group: 'Maintain',
  summary: 'write declarations of the globals of TypeScript programs, for editors and the compiler',
  details: `Writes statek.d.ts with the functions every program can call and the services of the application, and a tsconfig.json
if there is none. Run it again when the services change.`,
  arguments: [{ syntax: '[folder]', description: 'the folder of the programs (default: programs)' }],
  examples: [
    ['types', 'then: npx tsc --project programs'],
    ['types scripts', 'for programs in another folder'],
  ],
  async run(session, given) {
    const { out } = session;
    const folder = resolve(session.folder, given.optional('folder') ?? 'programs');
    const text = programTypes(await servicesOf(session));
    makeFolders(folder);
    const files = [
      ['statek.d.ts', text] as const,
      ...(existsSync(join(folder, 'tsconfig.json'))
        ? []
        : [['tsconfig.json', `${JSON.stringify(programCompilerOptions, null, 2)}\n`] as const]),
    ].map(([name, content]) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    });
    if (out.isJson) out.json({ files });
    else out.lines(files.map((file) => `${out.style.green('+')} ${harmless(relative(session.folder, file))}`));
  },
};

/** The services as `--use` exposes them to programs. */
async function servicesOf(session: Session): Promise<string> {
  const { config } = await session.application();
  const services = Object.entries(config.services ?? {});
  if (services.length === 0) return '';
  const [{ contextDeclarations }, { AgentEnvironment }] = await Promise.all([
    import('../../../agents/types/context.ts'),
    import('../../../agents/environment.ts'),
  ]);
  const { knowledge } = AgentEnvironment.ofProcess(config.settings);
  return contextDeclarations(
    { tools: [], vars: Object.fromEntries(services), knowledge, role: '' },
    { builtins: false },
  );
}
