// Reads docstrings as people write them for Python: sections with a colon (Google), underlined (NumPy), `:param x:` (reST).
import { noDoc, splitBrief, type Doc, type OutcomeDoc, type ParameterDoc } from '../doc.ts';
import { takeAcl } from '../../../workspace/door.ts';
import { chooseVariant } from '../print/variants.ts';

const sections: Readonly<Record<string, 'parameters' | 'returns' | 'throws' | 'examples' | 'notes'>> = {
  args: 'parameters',
  arguments: 'parameters',
  parameters: 'parameters',
  params: 'parameters',
  returns: 'returns',
  return: 'returns',
  yields: 'returns',
  raises: 'throws',
  throws: 'throws',
  example: 'examples',
  examples: 'examples',
  note: 'notes',
  notes: 'notes',
};

type SectionKind = (typeof sections)[string];

export function parseDocstring(docstring: string, variants?: readonly string[]): Doc {
  const { text, acl } = takeAcl(dedent(docstring));
  const body: string[] = [];
  const found: { kind: SectionKind; lines: string[] }[] = [];
  const fields: { readonly kind: string; readonly about: string; text: string }[] = [];
  const lines = chooseVariant(text, variants).split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, title, rest = ''] = /^([A-Za-z]+):[ \t]*(.*)$/.exec(line) ?? [];
    const isUnderlined = /^[A-Za-z]+$/.test(line) && /^-{3,}\s*$/.test(lines[index + 1] ?? '');
    const name = isUnderlined ? line : title;
    const kind = name === undefined ? undefined : sections[name.toLowerCase()];
    const [, field, about = '', said = ''] = /^:(\w+)\s*([^:]*):\s*(.*)$/.exec(line) ?? [];
    if (field !== undefined) fields.push({ kind: field, about: about.trim(), text: said });
    else if (fields.length > 0 && /^\s+\S/.test(line)) (fields.at(-1) as { text: string }).text += ` ${line.trim()}`;
    else if (kind !== undefined && (isUnderlined || rest === '' || kind === 'notes' || kind === 'returns')) {
      found.push({ kind, lines: rest === '' ? [] : [rest] });
      if (isUnderlined) index++;
    } else (found.at(-1)?.lines ?? body).push(line);
  }
  const of = (kind: SectionKind): string[] =>
    found
      .filter((section) => section.kind === kind)
      .map((section) => dedentBlock(section.lines.join('\n')).replace(/^\n+/, ''));
  const returns = of('returns').map(outcome)[0] ?? fieldOf(fields, ['returns', 'return'], ['rtype']);
  return {
    ...noDoc,
    ...splitBrief(body.join('\n')),
    parameters: [...of('parameters').flatMap(entriesIn).map(parameter), ...fieldParameters(fields)],
    ...(returns === undefined ? {} : { returns }),
    throws: [
      ...of('throws').flatMap(entriesIn).map(outcomeOfEntry),
      ...fields
        .filter(({ kind }) => kind === 'raises' || kind === 'raise')
        .map(({ about, text: said }) => ({ type: about, text: said })),
    ],
    examples: of('examples').filter((example) => example !== ''),
    notes: of('notes').filter((note) => note !== ''),
    acl,
  };
}

/** The text of a docstring, whose first line stands behind the quotes. */
function dedent(text: string): string {
  const [first = '', ...rest] = text.replaceAll('\t', '    ').split('\n');
  return /^\s+\S/.test(first) ? dedentBlock(text).trim() : `${first}\n${dedentBlock(rest.join('\n'))}`.trim();
}

function dedentBlock(text: string): string {
  const lines = text.replaceAll('\t', '    ').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  const cut = lines.map((line) => line.slice(least).trimEnd()).join('\n');
  return cut.trimEnd();
}

/** An entry of a section: a line at its left edge, and the indented ones below it. */
function entriesIn(text: string): string[] {
  const entries: string[] = [];
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) entries.push(line);
    else if (line.trim() !== '' && entries.length > 0) entries[entries.length - 1] += `\n${line.trim()}`;
  }
  return entries;
}

function parameter(entry: string): ParameterDoc {
  const [, name = '', google, numpy, said = ''] =
    /^\**([\w.]+)\s*(?:\(([^)]*)\)\s*)?(?::[ \t]*(?=\S*\n)([^\n]*)\n|:[ \t]*)?([\s\S]*)$/.exec(entry) ?? [];
  const type = (google ?? numpy ?? '').replace(/,?\s*optional$/, '').trim();
  return {
    name,
    ...(type === '' ? {} : { type }),
    ...(/optional\s*$/.test(google ?? numpy ?? '') ? { optional: true as const } : {}),
    text: oneLine(said),
  };
}

function outcomeOfEntry(entry: string): OutcomeDoc {
  const [, type, said] = /^([\w.]+)\s*(?::|\n)\s*([\s\S]*)$/.exec(entry) ?? [];
  if (type !== undefined && said !== undefined) return { type, text: oneLine(said) };
  return /^[\w.]+$/.test(entry) ? { type: entry, text: '' } : { text: oneLine(entry) };
}

function outcome(text: string): OutcomeDoc {
  const [, type, said] = /^([A-Za-z_][\w.[\], |]*?)\s*(?::\s+|\n\s+)([\s\S]*)$/.exec(text) ?? [];
  return type === undefined || said === undefined ? { text: oneLine(text) } : { type, text: oneLine(said) };
}

interface FieldEntry {
  readonly kind: string;
  readonly about: string;
  readonly text: string;
}

function fieldOf(
  fields: readonly FieldEntry[],
  kinds: readonly string[],
  typeKinds: readonly string[],
): OutcomeDoc | undefined {
  const said = fields.find(({ kind }) => kinds.includes(kind));
  const type = fields.find(({ kind }) => typeKinds.includes(kind))?.text.trim();
  if (said === undefined && type === undefined) return undefined;
  return { ...(type === undefined ? {} : { type }), text: said?.text.trim() ?? '' };
}

function fieldParameters(fields: readonly FieldEntry[]): ParameterDoc[] {
  return fields
    .filter(({ kind }) => kind === 'param' || kind === 'parameter' || kind === 'arg')
    .map(({ about, text }) => {
      const words = about.split(/\s+/);
      const name = words.at(-1) ?? '';
      const typed = fields.find((field) => field.kind === 'type' && field.about === name)?.text.trim();
      const type = typed ?? words.slice(0, -1).join(' ');
      return { name, ...(type === '' ? {} : { type }), text: text.trim() };
    });
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
