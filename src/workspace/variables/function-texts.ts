// What the functions and classes in variables do, for comparing them: what is shown of a function is its name, and one that was defined
// anew has the same. They are asked for their text on a copy of the program, so programs of earlier boot images can be compared, too.
import { createHash } from 'node:crypto';
import type { LanguageName } from '../language-name.ts';
import type { WireMessage, WireNode, WireValue } from '../wire/wire.ts';
import { pythonFunctionTexts, typescriptFunctionTexts } from './function-texts-code.ts';

/** How to get to a function: by a name or index, or to the value of an entry of a map (`m`) or a member of a set (`s`). */
type Step = readonly ['.' | 'm' | 's', string | number];

/** Where a function or class is: in which variable, and where in it. */
export interface FunctionPlace {
  readonly variable: string;
  readonly steps: readonly Step[];
}

/** So many are compared. */
const maxFunctions = 500;

/** The functions and classes in a message of shown variables, each once for each variable that leads to it. */
export function functionPlaces(message: WireMessage): readonly FunctionPlace[] {
  const [, root, ...rest] = JSON.parse(message) as [WireValue, readonly WireValue[], ...WireNode[]];
  const nodes: readonly (readonly WireValue[])[] = [root, ...rest];
  const places: FunctionPlace[] = [];
  for (let index = 1; index < root.length; index += 2) {
    const variable = String(root[index]);
    const seen = new Set<number>();
    const open: { readonly value: WireValue | undefined; readonly steps: readonly Step[] }[] = [
      { value: root[index + 1], steps: [] },
    ];
    for (const { value, steps } of open) {
      if (!Array.isArray(value) || typeof value[0] !== 'number' || seen.has(value[0])) continue;
      seen.add(value[0]);
      const [kind, ...parts] = nodes[value[0]] ?? [];
      if (kind === 'F') places.push({ variable, steps });
      if (places.length >= maxFunctions) return places;
      for (const [step, member] of membersOf(kind, parts)) open.push({ value: member, steps: [...steps, step] });
    }
  }
  return places;
}

function membersOf(
  kind: WireValue | undefined,
  parts: readonly WireValue[],
): readonly (readonly [Step, WireValue | undefined])[] {
  if (kind === 'A' || kind === 'S')
    return parts.map((part, index) => [[kind === 'A' ? '.' : 's', index] as const, part] as const);
  if (kind === 'M') return pairs(parts).map(([, value], index) => [['m', index] as const, value] as const);
  const named = kind === 'O' ? parts : kind === 'I' ? parts.slice(1) : [];
  return pairs(named).map(([name, value]) => [['.', String(name)] as const, value] as const);
}

function pairs(parts: readonly WireValue[]): readonly (readonly [WireValue | undefined, WireValue | undefined])[] {
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => [parts[2 * index], parts[2 * index + 1]]);
}

/** Code whose value is a list of the texts of these functions, in order. */
export function functionTextCode(language: LanguageName, places: readonly FunctionPlace[]): string {
  const variables = [...new Set(places.map(({ variable }) => variable))];
  const given = places.map(({ variable, steps }) => [variables.indexOf(variable), steps]);
  return language === 'python' ? pythonFunctionTexts(variables, given) : typescriptFunctionTexts(variables, given);
}

/** What each variable's functions add to the text that tells whether it has changed. */
export function functionFingerprints(
  places: readonly FunctionPlace[],
  texts: readonly unknown[],
): ReadonlyMap<string, string> {
  const byVariable = Map.groupBy(places.keys(), (index) => places[index]?.variable ?? '');
  return new Map(
    [...byVariable].map(([variable, indexes]) => {
      const own = indexes.map((index) => String(texts[index]));
      return [variable, createHash('sha256').update(JSON.stringify(own)).digest('base64url')];
    }),
  );
}
