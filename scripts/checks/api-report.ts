// Writes down what an entry point offers, as text: one declaration per public name, then every other type those
// declarations lean on. The text lives in api/, so a change of the public surface shows in review.
import type { DeclarationFile, Origin } from './declarations.ts';

export function apiReport(title: string, entry: DeclarationFile): string {
  const names = [...entry.exports.keys()].toSorted();
  const publicOrigins = new Map(names.map((name) => [name, entry.originOfExport(name)]));
  const publicKeys = new Set([...publicOrigins.values()].map(keyOf));
  const hidden = reachable([...publicOrigins.values()]).filter((origin) => !publicKeys.has(keyOf(origin)));
  return [
    `# What \`${title}\` exports`,
    '',
    'Written by `npm run api:update`. A change here is a change for users: review it as such.',
    '',
    ...names.flatMap((name) => section(name, publicOrigins.get(name), entry.typeOnly.has(name))),
    ...(hidden.length === 0 ? [] : ['# Used above, but not exported', '']),
    ...hidden.toSorted((a, b) => (a.name < b.name ? -1 : 1)).flatMap((origin) => section(origin.name, origin)),
  ].join('\n');
}

function section(name: string, origin: Origin | undefined, typeOnly = false): string[] {
  if (origin === undefined) return [];
  const text =
    origin.kind === 'imported'
      ? `import { ${origin.name} } from '${origin.specifier}';`
      : origin.file.print(origin.name);
  const note = typeOnly && /^(abstract class|class|const|function|let) /.test(text) ? ' (type only)' : '';
  return [`## ${name}${note}`, '', '```ts', text, '```', ''];
}

/** Everything the given declarations mention, directly or not. */
function reachable(origins: readonly Origin[]): Origin[] {
  const found = new Map<string, Origin>();
  const pending = [...origins];
  for (let origin = pending.pop(); origin !== undefined; origin = pending.pop()) {
    if (found.has(keyOf(origin))) continue;
    found.set(keyOf(origin), origin);
    if (origin.kind === 'imported') continue;
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
