// Classes: what TypeScript adds to their heads and members is taken away, and parameter properties become assignments.
import type { Context } from './context.ts';
import { visitFunction } from './functions.ts';
import { addBlockNames, addVarNames } from './scopes.ts';
import { endOf, startOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';
import { skipTrivia, wordsBetween } from '../trivia.ts';

type ClassNode = Extract<Node, { type: 'ClassDeclaration' | 'ClassExpression' }>;
type Member = ClassNode['body']['body'][number];
type Method = Extract<Member, { type: 'ClassMethod' | 'ClassPrivateMethod' }>;
type Property = Extract<Member, { type: 'ClassProperty' | 'ClassPrivateProperty' }>;

const modifiers: ReadonlySet<string> = new Set(['public', 'private', 'protected', 'readonly', 'override', 'abstract']);

export function visitClass(context: Context, node: ClassNode): void {
  const { edits, text } = context;
  if (node.decorators?.[0]) context.fail(node.decorators[0], 'Decorators are not supported in a step.');
  if ('abstract' in node && node.abstract) {
    const word = wordsBetween(text, startOf(node), startOf(node.body)).find((found) => found.word === 'abstract');
    if (word !== undefined) edits.blank(word.start, word.end);
  }
  const { id, superClass, body } = node;
  context.inScope(new Set(id ? [id.name] : []), () => {
    context.blankNode(node.typeParameters);
    context.visit(superClass);
    context.blankNode(node.superTypeArguments);
    dropImplements(context, node);
    for (const member of body.body) visitMember(context, member, Boolean(superClass));
  });
}

function dropImplements(context: Context, node: ClassNode): void {
  const last = node.implements?.at(-1);
  if (last === undefined) return;
  const before = node.superTypeArguments ?? node.superClass ?? node.typeParameters ?? node.id;
  const from = before ? endOf(before) : startOf(node) + 'class'.length;
  context.edits.blank(skipTrivia(context.text, from), endOf(last));
}

function visitMember(context: Context, member: Member, isDerived: boolean): void {
  switch (member.type) {
    case 'ClassMethod':
    case 'ClassPrivateMethod':
      if ('abstract' in member && member.abstract) context.dropStatement(member);
      else visitMethod(context, member, isDerived);
      break;
    case 'ClassProperty':
    case 'ClassPrivateProperty':
      if (('abstract' in member && member.abstract) || ('declare' in member && member.declare)) {
        context.dropStatement(member);
      } else visitProperty(context, member);
      break;
    case 'TSDeclareMethod':
    case 'TSIndexSignature':
      context.dropStatement(member);
      break;
    case 'StaticBlock': {
      const names = new Set<string>();
      addVarNames(member, names);
      addBlockNames(member.body, names);
      context.inScope(names, () => context.visitAll(member.body));
      break;
    }
    default:
      context.fail(member, `${member.type} is not supported in a step.`);
  }
}

function visitMethod(context: Context, member: Method, isDerived: boolean): void {
  if (member.decorators?.[0]) context.fail(member.decorators[0], 'Decorators are not supported in a step.');
  dropModifiers(context, member);
  visitKey(context, member);
  visitFunction(context, member);
  if (member.kind === 'constructor') addParameterProperties(context, member, isDerived);
}

function visitProperty(context: Context, member: Property): void {
  if (member.decorators?.[0]) context.fail(member.decorators[0], 'Decorators are not supported in a step.');
  dropModifiers(context, member);
  visitKey(context, member);
  context.blankNode(member.typeAnnotation);
  const { value } = member;
  // What a static field is set to runs in its turn, with the class; what others are set to runs when objects are made.
  if (value && member.static) context.visit(value);
  else if (value) context.inFunction(() => context.visit(value));
  // Without its type, the field could run on into the next line.
  if (context.edits.endsBlank(endOf(member))) context.edits.insert(endOf(member), ';');
}

/** Blanks `private` and its like; the first leaves a semicolon, since it may have been what ended the member before. */
function dropModifiers(context: Context, member: Method | Property): void {
  const { edits, text } = context;
  const start = startOf(member);
  for (const word of wordsBetween(text, start, startOf(member.key))) {
    if (modifiers.has(word.word)) edits.blank(word.start, word.end, word.start === start ? ';' : '');
  }
}

/** A computed name is evaluated with the class; `?` or `!` after a name only carries a type. */
function visitKey(context: Context, member: Method | Property): void {
  const { edits, text } = context;
  const isComputed = 'computed' in member && member.computed;
  if (isComputed) context.visit(member.key);
  let next = skipTrivia(text, endOf(member.key));
  if (isComputed && text[next] === ']') next = skipTrivia(text, next + 1);
  if (text[next] === '?' || text[next] === '!') {
    edits.blank(next, next + 1);
    if (next + 1 === endOf(member)) edits.insert(next + 1, ';');
  }
}

function addParameterProperties(context: Context, member: Method, isDerived: boolean): void {
  const names: string[] = [];
  for (const parameter of member.params) {
    if (parameter.type !== 'TSParameterProperty') continue;
    const inner = parameter.parameter.type === 'AssignmentPattern' ? parameter.parameter.left : parameter.parameter;
    if (inner.type === 'Identifier') names.push(inner.name);
  }
  if (names.length === 0) return;
  const { body } = member;
  const before = isDerived ? body.body.find((statement) => isSuperCall(statement)) : body.directives.at(-1);
  if (isDerived && before === undefined) {
    context.fail(member, "A constructor with parameter properties must call 'super(…)' in a statement of its own.");
  }
  const at = before === undefined ? startOf(body) + 1 : endOf(before);
  context.edits.insert(at, `;${names.map((name) => `this.${name}=${name};`).join('')}`, startOf(member));
}

function isSuperCall(statement: Node): boolean {
  return (
    statement.type === 'ExpressionStatement' &&
    statement.expression.type === 'CallExpression' &&
    statement.expression.callee.type === 'Super'
  );
}
