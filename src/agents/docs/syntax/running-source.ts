// What the source of running code still tells: names of parameters, first values of fields, and the comments inside.
import { parseExpression } from '@babel/parser';
import type { Node } from '@babel/types';
import { classFrom, docBefore, functionFrom } from './class-syntax.ts';
import type { ClassDeclaration, FunctionDeclaration } from '../declaration.ts';
import type { Doc } from '../doc.ts';

const known = new WeakMap<object, ClassDeclaration | FunctionDeclaration | undefined>();

/** The declaration in the source of a class or function; undefined for what is not written in JavaScript. */
export function declarationInSource(target: object): ClassDeclaration | FunctionDeclaration | undefined {
  if (!known.has(target)) known.set(target, read(target));
  return known.get(target);
}

function read(target: object): ClassDeclaration | FunctionDeclaration | undefined {
  const text = Function.prototype.toString.call(target);
  const { name } = target as { readonly name: string };
  // A method's source is one only inside an object.
  for (const source of [`(${text})`, `({${text}})`, `({${text.replace(/^static\s+/, '')}})`]) {
    try {
      const node = parseExpression(source, { plugins: ['decorators', 'decoratorAutoAccessors'] });
      if (node.type === 'ClassExpression') return classFrom(name, node, source, undefined);
      if (node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression')
        return functionFrom(name, node, source, docInside(node.body));
      const [method] = node.type === 'ObjectExpression' ? node.properties : [];
      if (method?.type === 'ObjectMethod') return functionFrom(name, method, source, docInside(method.body));
    } catch {
      // The next form may fit.
    }
  }
  return undefined;
}

/** A comment before a function is not part of its source; one that is the first thing in its body is. */
function docInside(body: Node): Doc | undefined {
  if (body.type !== 'BlockStatement') return undefined;
  const [first] = [...body.directives, ...body.body];
  return docBefore(first) ?? docBefore({ ...body, leadingComments: body.innerComments ?? null });
}
