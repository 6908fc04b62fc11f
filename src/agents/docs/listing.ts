// The listings that stand in prompts, and the answers of `brief` and `docstr`.
import { isDurableClass, nodeOf, ownOptions, type AnyClass } from '../../objects/door.ts';
import { crossesByHandle, exposureOf } from '../../workspace/door.ts';
import type { Language } from '../prompts/metadata.ts';
import type { ClassDeclaration, Declaration, FunctionDeclaration } from './declaration.ts';
import type { Knowledge } from './knowledge.ts';
import type { Detail, LanguagePrinter } from './print/language-printer.ts';
import { pythonSignature, pythonText } from './print/print-python.ts';
import { typescriptSignature, typescriptText, typescriptVariable } from './print/print-typescript.ts';
import { pythonType, snakeCase } from './print/python-type.ts';
import { named, namesIn, typescriptType, type TypeNode } from './syntax/type-node.ts';
import { valueType } from './print/value-type.ts';

const printers: Readonly<Record<Language, LanguagePrinter>> = {
  typescript: {
    signature: typescriptSignature,
    text: typescriptText,
    variable: (name, type) => typescriptVariable(name, typescriptType(type)),
    remark: (text) => `// ${text}`,
  },
  python: {
    signature: (declaration) => pythonSignature(declaration),
    text: pythonText,
    variable: (name, type) => `${snakeCase(name)}: ${pythonType(type)}`,
    remark: (text) => `# ${text}`,
  },
};

/** `{brief_tools}`: a line for each. */
export function briefTools(tools: readonly FunctionDeclaration[], language: Language): string {
  const { signature, remark } = printers[language];
  return tools
    .map((tool) => {
      const brief = tool.doc?.brief ?? '';
      return brief === '' ? signature(tool) : `${signature(tool)} ${remark(brief)}`;
    })
    .join('\n');
}

/** `{tools}` with the usual detail, `{detailed_tools}` with all of it. */
export function listTools(tools: readonly FunctionDeclaration[], language: Language, detail: Detail): string {
  return tools.map((tool) => printers[language].text(tool, detail)).join('\n\n');
}

export function declarationText(declaration: Declaration, language: Language, detail: Detail): string {
  return printers[language].text(declaration, detail);
}

export interface ContextOptions {
  readonly knowledge: Knowledge;
  readonly language: Language;
  /** Only what code of this role sees. */
  readonly role?: string | undefined;
  /** The durable classes of the kit: types that methods may name. */
  readonly classes?: readonly AnyClass[] | undefined;
  /** Default: `usual`. */
  readonly detail?: Detail | undefined;
}

/** `{types}`: the variables of a job, and every class and type they lead to. */
export function declareContext(variables: Readonly<Record<string, unknown>>, options: ContextOptions): string {
  const printer = printers[options.language];
  const detail = options.detail ?? 'usual';
  const types = new TypesInContext(options);
  const lines: string[] = [];
  const functions: string[] = [];
  for (const [name, value] of Object.entries(variables)) {
    const declared = withName(declarationOf(value, options, name), name);
    if (declared?.kind === 'function') {
      functions.push(printer.text(declared, detail));
      types.need(typesOf(declared));
    } else if (declared?.kind === 'class' && typeof value === 'function') types.add(declared);
    else {
      const type = declared === undefined ? valueType(value, options.role) : named(declared.name);
      lines.push(printer.variable(name, type));
      if (declared !== undefined) types.add(declared);
      else types.addObjectsIn(value);
      types.need([type]);
    }
  }
  const texts = types.all().map((declaration) => printer.text(declaration, detail));
  return [lines.join('\n'), ...functions, ...texts].filter((text) => text !== '').join('\n\n');
}

/** An object without a class is told by a type named after its variable. */
function withName<Known extends FunctionDeclaration | ClassDeclaration | undefined>(
  declared: Known,
  name: string,
): Known {
  if (declared?.kind !== 'class' || declared.name !== 'Object') return declared;
  return { ...declared, name: name.slice(0, 1).toUpperCase() + name.slice(1) };
}

/** What is known about a value that is more than data; undefined for data. */
export function declarationOf(
  value: unknown,
  { knowledge, role }: Pick<ContextOptions, 'knowledge' | 'role'>,
  name?: string,
): FunctionDeclaration | ClassDeclaration | undefined {
  if (typeof value === 'function') {
    if (isDurableClass(value)) {
      const declared = knowledge.ofClass(value, role);
      return { ...declared, construct: declared.construct ?? [] };
    }
    return knowledge.ofFunction(value as (...parameters: never[]) => unknown, name);
  }
  if (typeof value !== 'object' || value === null || !crossesByHandle(value)) return undefined;
  const isCollection = ['array', 'map', 'set'].includes(exposureOf(value, role).form);
  return isCollection || nodeOf(value)?.type === 'object' ? undefined : knowledge.ofObject(value, role);
}

/** The types that a listing has to explain, each once, in the order in which they are met. */
class TypesInContext {
  readonly #options: ContextOptions;
  readonly #declared = new Map<string, Declaration>();

  constructor(options: ContextOptions) {
    this.#options = options;
  }

  add(declaration: Declaration): void {
    if (this.#declared.has(declaration.name)) return;
    this.#declared.set(declaration.name, declaration);
    this.need(typesOf(declaration));
    if (declaration.kind === 'class' && declaration.base !== undefined) this.need([named(declaration.base)]);
  }

  /** Objects of the application inside of data. */
  addObjectsIn(value: unknown, depth = 0): void {
    if (typeof value !== 'object' || value === null || depth > 2) return;
    const declared = declarationOf(value, this.#options);
    if (declared !== undefined) this.add(declared);
    else if (Array.isArray(value)) for (const member of value.slice(0, 20)) this.addObjectsIn(member, depth + 1);
    else if (!(value instanceof Date)) for (const member of Object.values(value)) this.addObjectsIn(member, depth + 1);
  }

  need(types: readonly TypeNode[]): void {
    for (const name of types.flatMap(namesIn)) {
      if (this.#declared.has(name)) continue;
      const found = this.#find(name);
      if (found !== undefined) this.add(found);
    }
  }

  all(): Declaration[] {
    return [...this.#declared.values()];
  }

  #find(name: string): Declaration | undefined {
    const { knowledge, role, classes = [] } = this.#options;
    const target = classes.find((one) => one.name === name || ownOptions(one)?.name === name);
    if (target === undefined) return knowledge.extracted(name);
    // Code meets its objects; whether it can make them is said where the class itself is a variable.
    const { construct: _, statics: __, ...declared } = knowledge.ofClass(target, role);
    return { ...declared, statics: [] };
  }
}

function typesOf(declaration: Declaration): TypeNode[] {
  switch (declaration.kind) {
    case 'type':
      return [declaration.type];
    case 'function':
      return [
        ...declaration.parameters.flatMap(({ type }) => type ?? []),
        ...(declaration.returns === undefined ? [] : [declaration.returns]),
      ];
    case 'class':
      return [
        ...declaration.fields.flatMap(({ type }) => type ?? []),
        ...(declaration.construct ?? []).flatMap(({ type }) => type ?? []),
        ...[...declaration.methods, ...declaration.statics].flatMap(typesOf),
      ];
  }
}

/** What `brief(x)` prints. */
export function briefText(declaration: Declaration, language: Language): string {
  return declaration.kind === 'function'
    ? briefTools([declaration], language)
    : declarationText(declaration, language, 'brief');
}

/** What `docstr(x)` prints. */
export function docText(declaration: Declaration, language: Language): string {
  return declarationText(declaration, language, 'full');
}
