// `statek docs`: the exports of TypeScript files, as a model would see them.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { ClassDeclaration, Declaration, Declarations } from '../../../agents/docs/declaration.ts';
import { accessRules, isPrivate } from '../../../workspace/bridge/access.ts';
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { readText } from '../../line/parse.ts';

const details = ['none', 'brief', 'usual', 'full'] as const;

export const docs: Command = {
  name: 'docs',
  group: 'Maintain',
  summary: 'extract declarations from TypeScript files, as a model would see them',
  details: `Prints the exported classes, interfaces, functions and types with their comments, without private members and members
hidden by STATEK-ACL lines. With --json or --out it writes all declarations, for compiled or minified applications that
have lost their comments.`,
  arguments: [{ syntax: '<files...>', description: 'TypeScript files, or folders of them' }],
  options: [
    {
      flags: '--language <language>',
      description: 'language of the declarations (default: typescript)',
      choices: ['typescript', 'python'],
    },
    {
      flags: '--detail <detail>',
      description: 'how much of the comments to include (default: usual)',
      choices: details,
    },
    { flags: '--role <role>', description: 'only what code of this role sees' },
    { flags: '-o, --out <file>', description: 'write the declarations as JSON to this file' },
  ],
  examples: [
    ['docs src/calendar.ts', 'what a TypeScript agent sees'],
    ['docs src --language python --detail full', 'what a Python agent sees, with full comments'],
    ['docs src --out declarations.json', 'for a compiled application'],
  ],
  async run(session, given) {
    const { out } = session;
    const [{ extractDeclarations }, { declarationText }] = await Promise.all([
      import('../../../agents/docs/syntax/extract.ts'),
      import('../../../agents/docs/listing.ts'),
    ]);
    const paths = given.list('files').flatMap((one) => filesIn(resolve(session.folder, one)));
    const found: Declarations = extractDeclarations(
      paths.map((path) => ({ path: relative(session.folder, path), text: readText(path) })),
    );
    const file = given.optional('out');
    if (file !== undefined) {
      writeFileSync(resolve(session.folder, file), `${JSON.stringify(found, null, 2)}\n`);
      if (out.isJson) out.json({ file, declarations: found.declarations.length });
      else out.line(`Wrote ${found.declarations.length} declarations to ${file}.`);
      return;
    }
    if (out.isJson) {
      out.json(found);
      return;
    }
    const language = given.optional('language') === 'python' ? 'python' : 'typescript';
    const detail = (given.optional('detail') ?? 'usual') as (typeof details)[number];
    const role = given.optional('role');
    out.line(found.declarations.map((one) => declarationText(visible(one, role), language, detail)).join('\n\n'));
  },
};

function filesIn(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`${path} does not exist. Pass a TypeScript file or a folder.`, { path });
  if (!stat.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?tsx?$/.test(name) && !/(?:^|[/\\])node_modules[/\\]|\.(?:test|d)\.[cm]?tsx?$/.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

/** Without members that guest code cannot reach. */
function visible(declaration: Declaration, role: string | undefined): Declaration {
  if (declaration.kind !== 'class') return declaration;
  const acl = declaration.doc?.acl ?? [];
  const rules = acl.length === 0 ? undefined : accessRules([{ acl }], role);
  const seen = <Member extends { readonly name: string }>(members: readonly Member[]): Member[] =>
    members.filter(({ name }) => !isPrivate(name) && rules?.sees(name) !== false);
  const { base, ...rest } = declaration;
  const shown: ClassDeclaration = {
    ...rest,
    // Models need not know which objects are durable.
    ...(base === undefined || base === 'Durable' ? {} : { base }),
    fields: seen(declaration.fields),
    methods: seen(declaration.methods),
    statics: seen(declaration.statics),
  };
  return shown;
}
