// Describes the exports of an entry point as text, one declaration per public name. The text is kept in api/, so that
// changes of the public API show in reviews. Types the declarations refer to must be exported too, by any entry point.
import type { DeclarationFile, Origin } from './declarations.ts';

export interface ReportedEntry {
  /** What users import: `statek`, `statek/postgres`. */
  readonly title: string;
  readonly file: DeclarationFile;
}

/** `others` are the other entry points of the package; their exports are only mentioned by name. */
export function apiReport({ title, file }: ReportedEntry, others: readonly ReportedEntry[] = []): string {
  const names = [...file.exports.keys()].toSorted();
  const own = names.map((name) => file.originOfExport(name));
  const ownKeys = new Set(own.map(keyOf));
  const elsewhere = exportedBy(others);
  const used = [...mentioned(own).values()]
    .map(({ origin }) => origin)
    .filter((origin) => !ownKeys.has(keyOf(origin)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const fromOthers = used.flatMap((origin) => elsewhere.get(keyOf(origin)) ?? []);
  const foreign = used.flatMap((origin) =>
    origin.kind === 'imported' ? [`- ${origin.name}, from \`${origin.specifier}\``] : [],
  );
  return [
    `# What \`${title}\` exports`,
    '',
    'Written by `npm run api:update`. A change here is a change for users: review it as such.',
    '',
    ...names.flatMap((name) => section(name, file.originOfExport(name), file.typeOnly.has(name))),
    ...(fromOthers.length === 0 ? [] : ['# Used above, exported elsewhere', '', ...fromOthers, '']),
    ...(foreign.length === 0 ? [] : ['# Used above, from other packages', '', ...foreign, '']),
  ].join('\n');
}

/**
 * Declarations that exported ones mention and that no entry point exports: users can see them, and cannot name them. What is marked
 * `@inferred` is only there for the type checker, and users name its parts through the type that mentions it.
 */
export function hiddenDeclarations(entries: readonly ReportedEntry[]): string[] {
  const exported = entries.flatMap(({ file }) => [...file.exports.keys()].map((name) => file.originOfExport(name)));
  const keys = new Set(exported.map(keyOf));
  return [...mentioned(exported)].flatMap(([key, { origin, by }]) =>
    origin.kind === 'imported' || keys.has(key) || origin.file.commentOf(origin.name)?.includes('@inferred') === true
      ? []
      : [`${origin.name}, mentioned by ${[...by].toSorted().join(', ')}`],
  );
}

/** A line of the report for each declaration the entries export. */
function exportedBy(entries: readonly ReportedEntry[]): Map<string, string> {
  return new Map(
    entries.flatMap(({ title, file }) =>
      [...file.exports.keys()].map((name) => [keyOf(file.originOfExport(name)), `- ${name}, from \`${title}\``]),
    ),
  );
}

function section(name: string, origin: Origin, typeOnly = false): string[] {
  const text =
    origin.kind === 'imported'
      ? `import { ${origin.name} } from '${origin.specifier}';`
      : origin.file.print(origin.name);
  const note = typeOnly && /^(abstract class|class|const|function|let) /.test(text) ? ' (type only)' : '';
  return [`## ${name}${note}`, '', '```ts', text, '```', ''];
}

/** Everything the given declarations mention, and the names of those that do. */
function mentioned(origins: readonly Origin[]): Map<string, { readonly origin: Origin; readonly by: Set<string> }> {
  const found = new Map<string, { readonly origin: Origin; readonly by: Set<string> }>();
  for (const { file, name } of origins.filter((origin) => origin.kind === 'declared')) {
    for (const reference of file.referencesIn(name)) {
      const origin = file.originOf(reference);
      const known = found.get(keyOf(origin)) ?? { origin, by: new Set<string>() };
      known.by.add(name);
      found.set(keyOf(origin), known);
    }
  }
  return found;
}

function keyOf(origin: Origin): string {
  return origin.kind === 'imported'
    ? `package ${origin.specifier} ${origin.name}`
    : `${origin.file.path} ${origin.name}`;
}
