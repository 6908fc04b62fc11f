// What a model is told about functions, classes and tools, before it is put into the words of a language. It comes from
// several places, the best first:
//
// 1. schemas of tools, and `describe(target, …)`;
// 2. doc comments inside the source of a class or function, as far as the running code still has them;
// 3. declarations that `extractDeclarations` read from TypeScript files, which also know the types. They are JSON:
//    `statek docs` writes them to a file, and a program that is compiled or minified reads that file.
import type { Doc } from './doc.ts';
import type { TypeNode } from './syntax/type-node.ts';

export interface ParameterDeclaration {
  readonly name: string;
  readonly type?: TypeNode;
  readonly optional?: true;
  readonly rest?: true;
}

export interface FunctionDeclaration {
  readonly kind: 'function';
  readonly name: string;
  readonly parameters: readonly ParameterDeclaration[];
  readonly returns?: TypeNode;
  readonly doc?: Doc;
}

export interface FieldDeclaration {
  readonly name: string;
  readonly type?: TypeNode;
  readonly optional?: true;
  readonly readonly?: true;
  readonly doc?: Doc;
}

/** A class or an interface: what its objects have. */
export interface ClassDeclaration {
  readonly kind: 'class';
  readonly name: string;
  readonly base?: string;
  readonly doc?: Doc;
  readonly fields: readonly FieldDeclaration[];
  readonly methods: readonly FunctionDeclaration[];
  /** What `new` takes; absent if code cannot make objects of it. */
  readonly construct?: readonly ParameterDeclaration[];
  readonly statics: readonly FunctionDeclaration[];
}

/** A type that has a name. */
export interface TypeDeclaration {
  readonly kind: 'type';
  readonly name: string;
  readonly type: TypeNode;
  readonly doc?: Doc;
}

export type Declaration = FunctionDeclaration | ClassDeclaration | TypeDeclaration;

/** What a file of declarations holds. */
export interface Declarations {
  readonly version: 1;
  readonly declarations: readonly Declaration[];
}
