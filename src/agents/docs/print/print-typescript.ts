// Declarations in TypeScript, as its authors would write them, with as much of the comments as is asked for.
import type {
  ClassDeclaration,
  Declaration,
  FieldDeclaration,
  FunctionDeclaration,
  ParameterDeclaration,
} from '../declaration.ts';
import type { Doc } from '../doc.ts';
import type { Detail } from './language-printer.ts';
import { propertyName, typescriptType } from '../syntax/type-node.ts';

/** `findMeeting(title: string): Meeting | undefined` */
export function typescriptSignature({ name, parameters, returns }: FunctionDeclaration): string {
  return `${propertyName(name)}(${parameters.map(parameterText).join(', ')})${returns === undefined ? '' : `: ${typescriptType(returns)}`}`;
}

function parameterText({ name, type, optional, rest }: ParameterDeclaration): string {
  const mark = optional === true && rest !== true ? '?' : '';
  return `${rest === true ? '...' : ''}${name}${mark}${type === undefined ? '' : `: ${typescriptType(type)}`}`;
}

export function typescriptText(declaration: Declaration, detail: Detail): string {
  const comment = commentText(declaration.doc, detail, '');
  switch (declaration.kind) {
    case 'function':
      return `${comment}declare function ${typescriptSignature(declaration)};`;
    case 'type':
      return `${comment}type ${declaration.name} = ${typescriptType(declaration.type)};`;
    case 'class':
      return comment + classText(declaration, detail);
  }
}

function classText({ name, base, fields, methods, construct, statics }: ClassDeclaration, detail: Detail): string {
  const isClass = construct !== undefined;
  const lines = [
    ...(isClass ? [`  constructor(${construct.map(parameterText).join(', ')});\n`] : []),
    ...fields.map((field) => `${commentText(field.doc, detail, '  ')}  ${fieldText(field)};\n`),
    ...methods.map((method) => `${commentText(method.doc, detail, '  ')}  ${typescriptSignature(method)};\n`),
    ...(isClass
      ? statics.map((method) => `${commentText(method.doc, detail, '  ')}  static ${typescriptSignature(method)};\n`)
      : []),
  ];
  const heading = `${isClass ? 'declare class' : 'interface'} ${name}${base === undefined ? '' : ` extends ${base}`}`;
  return lines.length === 0 ? `${heading} {}` : `${heading} {\n${lines.join('')}}`;
}

function fieldText({ name, type, optional, readonly }: FieldDeclaration): string {
  return `${readonly === true ? 'readonly ' : ''}${propertyName(name)}${optional === true ? '?' : ''}${type === undefined ? '' : `: ${typescriptType(type)}`}`;
}

export function typescriptVariable(name: string, type: string): string {
  return `declare const ${name}: ${type};`;
}

function commentText(doc: Doc | undefined, detail: Detail, indent: string): string {
  const lines = doc === undefined ? [] : docLines(doc, detail);
  if (lines.length === 0) return '';
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'));
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

/** The lines of a comment: the brief, also parameters and the result, or everything. */
function docLines(doc: Doc, detail: Detail): string[] {
  if (detail === 'none') return [];
  const lines = doc.brief === '' ? [] : [doc.brief];
  if (detail === 'brief') return lines;
  if (detail === 'full' && doc.details !== '') lines.push('', ...doc.details.split('\n'));
  const parameters = doc.parameters.filter(({ text }) => text !== '');
  lines.push(...parameters.map(({ name, text }) => `@param ${name} - ${text}`));
  if (doc.returns !== undefined && doc.returns.text !== '') lines.push(`@returns ${doc.returns.text}`);
  if (detail !== 'full') return lines;
  lines.push(
    ...doc.throws.map(({ type, text }) => `@throws ${type === undefined ? '' : `{${type}} `}${text}`.trimEnd()),
  );
  for (const note of doc.notes) lines.push(...`@remarks ${note}`.split('\n'));
  for (const example of doc.examples) lines.push('@example', ...example.split('\n'));
  return lines;
}
