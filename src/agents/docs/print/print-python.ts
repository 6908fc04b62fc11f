// Declarations as stubs in Python: snake_case names, keywords in place of a last object, no promises.
import type {
  ClassDeclaration,
  Declaration,
  FieldDeclaration,
  FunctionDeclaration,
  ParameterDeclaration,
} from '../declaration.ts';
import type { Doc } from '../doc.ts';
import type { Detail } from './language-printer.ts';
import { orNone, pythonType, snakeCase } from './python-type.ts';

/** `find_meeting(title: str, *, day: datetime | None = None) -> Meeting | None` */
export function pythonSignature(declaration: FunctionDeclaration, isMethod = false): string {
  const { name, parameters, returns } = declaration;
  const all = [...(isMethod ? ['self'] : []), ...parametersText(parameters)];
  return `${snakeCase(name)}(${all.join(', ')})${returns === undefined ? '' : ` -> ${pythonType(returns)}`}`;
}

function parametersText(parameters: readonly ParameterDeclaration[]): string[] {
  const last = parameters.at(-1);
  if (last?.type?.kind !== 'object' || last.type.members.length === 0 || last.rest === true)
    return parameters.map(parameterText);
  const isOptional = last.optional === true;
  const keywords = last.type.members.map(({ name, type, optional }) =>
    parameterText({ name, type, ...(isOptional || optional === true ? { optional: true as const } : {}) }),
  );
  return [...parameters.slice(0, -1).map(parameterText), '*', ...keywords];
}

function parameterText({ name, type, optional, rest }: ParameterDeclaration): string {
  const element = type?.kind === 'array' && rest === true ? type.element : type;
  const shown = element !== undefined && optional === true ? orNone(element) : element;
  const annotation = shown === undefined ? '' : `: ${pythonType(shown)}`;
  const otherwise = optional === true && rest !== true ? (shown === undefined ? '=None' : ' = None') : '';
  return `${rest === true ? '*' : ''}${snakeCase(name)}${annotation}${otherwise}`;
}

export function pythonText(declaration: Declaration, detail: Detail): string {
  switch (declaration.kind) {
    case 'function':
      return functionText(declaration, detail, '', false);
    case 'type': {
      const text = docstring(declaration.doc, detail === 'full' ? 'brief' : detail, '');
      return `type ${declaration.name} = ${pythonType(declaration.type)}${text === '' ? '' : `\n${text.trimEnd()}`}`;
    }
    case 'class':
      return classText(declaration, detail);
  }
}

function functionText(declaration: FunctionDeclaration, detail: Detail, indent: string, isMethod: boolean): string {
  const heading = `${indent}def ${pythonSignature(declaration, isMethod)}:`;
  const text = docstring(declaration.doc, detail, `${indent}    `);
  return text === '' ? `${heading} ...` : `${heading}\n${text.trimEnd()}`;
}

function classText({ name, base, doc, fields, methods, construct, statics }: ClassDeclaration, detail: Detail): string {
  const heading = `class ${name}${base === undefined ? '' : `(${base})`}:`;
  const parts = [
    docstring(doc, detail, '    ').trimEnd(),
    ...fields.map((field) => fieldText(field, detail)),
    ...(construct === undefined
      ? []
      : [functionText({ kind: 'function', name: '__init__', parameters: construct }, detail, '    ', true)]),
    ...methods.map((method) => functionText(method, detail, '    ', true)),
    ...(construct === undefined
      ? []
      : statics.map((method) => `    @staticmethod\n${functionText(method, detail, '    ', false)}`)),
  ].filter((part) => part !== '');
  return parts.length === 0 ? `${heading} ...` : `${heading}\n${parts.join('\n')}`;
}

function fieldText({ name, type, optional, readonly, doc }: FieldDeclaration, detail: Detail): string {
  const shown = type !== undefined && optional === true ? orNone(type) : type;
  const remarks = [
    ...(readonly === true ? ['read-only'] : []),
    ...(detail !== 'none' && doc !== undefined && doc.brief !== '' ? [doc.brief] : []),
  ];
  return `    ${snakeCase(name)}: ${shown === undefined ? 'Any' : pythonType(shown)}${remarks.length === 0 ? '' : `  # ${remarks.join('; ')}`}`;
}

function docstring(doc: Doc | undefined, detail: Detail, indent: string): string {
  const lines = doc === undefined ? [] : docLines(doc, detail);
  if (lines.length === 0) return '';
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'));
  // A quote at the end would join those that end the text.
  if (safe.length === 1) return `${indent}"""${(safe[0] ?? '').replace(/"$/, '\\"')}"""\n`;
  const [first = '', ...rest] = safe;
  return `${indent}"""${first}\n${rest.map((line) => (line === '' ? '\n' : `${indent}${line}\n`)).join('')}${indent}"""\n`;
}

function docLines(doc: Doc, detail: Detail): string[] {
  if (detail === 'none') return [];
  const lines = doc.brief === '' ? [] : [doc.brief];
  if (detail === 'brief') return lines;
  if (detail === 'full' && doc.details !== '') lines.push('', ...doc.details.split('\n'));
  const section = (title: string, entries: readonly string[]): void => {
    if (entries.length > 0)
      lines.push('', `${title}:`, ...entries.flatMap((entry) => entry.split('\n').map((line) => `    ${line}`)));
  };
  const parameters = doc.parameters.filter(({ text }) => text !== '');
  section(
    'Args',
    parameters.map(({ name, text }) => `${snakeCase(name)}: ${text}`),
  );
  if (doc.returns !== undefined && doc.returns.text !== '') section('Returns', [doc.returns.text]);
  if (detail !== 'full') return lines;
  section(
    'Raises',
    doc.throws.map(({ type, text }) => (type === undefined ? text : `${type}: ${text}`)),
  );
  section('Notes', doc.notes);
  section('Examples', doc.examples);
  return lines;
}
