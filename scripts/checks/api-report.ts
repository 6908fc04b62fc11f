// Describes the exports of an entry point as text: one declaration per public name, then all types they refer to. The text
// is kept in api/, so that changes of the public API show in reviews.
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
  const used = reachable(own, (key) => elsewhere.has(key) && !ownKeys.has(key))
    .filter((origin) => !ownKeys.has(keyOf(origin)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const fromOthers = used.flatMap((origin) => elsewhere.get(keyOf(origin)) ?? []);
  const hidden = used.filter((origin) => !elsewhere.has(keyOf(origin)));
  return [
    `# What \`${title}\` exports`,
    '',
    'Written by `npm run api:update`. A change here is a change for users: review it as such.',
    '',
    ...names.flatMap((name) => section(name, file.originOfExport(name), file.typeOnly.has(name))),
    ...(fromOthers.length === 0 ? [] : ['# Used above, exported elsewhere', '', ...fromOthers, '']),
    ...(hidden.length === 0 ? [] : ['# Used above, but not exported', '']),
    ...hidden.flatMap((origin) => section(origin.name, origin)),
  ].join('\n');
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

/** Everything the given declarations refer to, transitively; stops where `endsAt` returns true. */
function reachable(origins: readonly Origin[], endsAt: (key: string) => boolean): Origin[] {
  const found = new Map<string, Origin>();
  const pending = [...origins];
  for (let origin = pending.pop(); origin !== undefined; origin = pending.pop()) {
    if (found.has(keyOf(origin))) continue;
    found.set(keyOf(origin), origin);
    if (origin.kind === 'imported' || endsAt(keyOf(origin))) continue;
    const { file, name } = origin;
    for (const reference of file.referencesIn(name)) pending.push(file.originOf(reference));
  }
  return [...found.values()];
}

function keyOf(origin: Origin): string {
  return origin.kind === 'imported'
    ? `package ${origin.specifier} ${origin.name}`
    : `${origin.file.path} ${origin.name}`;
}
