// Checks that docs/errors.md documents exactly the error codes in the source.
import { Visitor } from 'oxc-parser';
import type { Class } from 'oxc-parser';
import { lineAt, parse } from '../support/source.ts';
import type { SourceFile } from '../support/source.ts';

export interface ErrorCode {
  readonly code: string;
  readonly path: string;
  readonly line: number;
}

const page = 'docs/errors.md';

/** Codes declared as string literals in the `code` property of classes whose base is named …Error. */
export function errorCodesIn(file: SourceFile): { codes: ErrorCode[]; problems: string[] } {
  const codes: ErrorCode[] = [];
  const problems: string[] = [];
  const visitClass = ({ superClass, body }: Class): void => {
    if (superClass?.type !== 'Identifier' || !superClass.name.endsWith('Error')) return;
    for (const member of body.body) {
      if (member.type !== 'PropertyDefinition' || member.static) continue;
      if (member.key.type !== 'Identifier' || member.key.name !== 'code') continue;
      const line = lineAt(file.text, member.start);
      const { value } = member;
      if (value?.type === 'Literal' && typeof value.value === 'string' && /^[A-Z][A-Z0-9_]*$/.test(value.value)) {
        codes.push({ code: value.value, path: file.path, line });
      } else {
        problems.push(`${file.path}:${line} an error's code must be a literal in capitals, as in code = 'STORE_FULL'`);
      }
    }
  };
  new Visitor({ ClassDeclaration: visitClass, ClassExpression: visitClass }).visit(parse(file));
  return { codes, problems };
}

/** Headings of the form `### STORE_FULL`, outside code blocks. */
export function documentedCodes(text: string): ErrorCode[] {
  let inCode = false;
  return text.split('\n').flatMap((content, index) => {
    if (content.startsWith('```')) inCode = !inCode;
    const code = inCode ? undefined : /^### `?([A-Z][A-Z0-9_]*)`?\s*$/.exec(content)?.[1];
    return code === undefined ? [] : [{ code, path: page, line: index + 1 }];
  });
}

export function checkErrors(files: readonly SourceFile[], documentation: string): string[] {
  const found = files.map(errorCodesIn);
  const declared = found.flatMap(({ codes }) => codes);
  const documented = documentedCodes(documentation);
  return [
    ...found.flatMap(({ problems }) => problems),
    ...repeated(declared, 'is already the code of another class'),
    ...repeated(documented, 'has two headings'),
    ...missing(declared, documented).map((at) => `${at.path}:${at.line} ${at.code} has no heading in ${page}`),
    ...missing(documented, declared).map((at) => `${at.path}:${at.line} ${at.code} is the code of no error class`),
  ];
}

function repeated(codes: readonly ErrorCode[], message: string): string[] {
  return codes
    .filter(({ code }, index) => codes.findIndex((other) => other.code === code) < index)
    .map(({ code, path, line }) => `${path}:${line} ${code} ${message}`);
}

function missing(codes: readonly ErrorCode[], from: readonly ErrorCode[]): ErrorCode[] {
  const present = new Set(from.map(({ code }) => code));
  return codes.filter(({ code }) => !present.has(code));
}
