// Enums become objects with their members both ways, as TypeScript makes them; const enums too.
import type { Context } from './context.ts';
import { endOf, startOf, unwrap } from '../syntax.ts';
import type { Node } from '../syntax.ts';

type EnumNode = Extract<Node, { type: 'TSEnumDeclaration' }>;

/** `target` is what the enum is assigned to, `isMore` whether it adds to one declared before in the same scope. */
export function visitEnum(context: Context, node: EnumNode, target: string, isMore: boolean): void {
  const { edits } = context;
  const { name } = node.id;
  const { members } = node.body;
  edits.replace(
    startOf(node),
    startOf(node.body) + 1,
    `${target}=((${name},__statek_last)=>{const __statek_member=(name,value=__statek_last+1)=>{` +
      `${name}[name]=__statek_last=value;if(typeof value!=="string")${name}[value]=name};[`,
  );
  const names = new Set(members.map(({ id }) => (id.type === 'Identifier' ? id.name : id.value)));
  const visitMembers = (): void => {
    for (const [index, member] of members.entries()) visitMember(context, member, members[index - 1]);
  };
  context.inScope(new Set([name]), () =>
    context.inFunction(() => {
      const outer = context.enumDepth;
      context.enumDepth = context.functionDepth;
      context.inScope(names, visitMembers, name);
      context.enumDepth = outer;
    }),
  );
  edits.replace(endOf(node) - 1, endOf(node), `];return ${name}})(${isMore ? target : '{}'},-1);`);
}

function visitMember(context: Context, member: EnumNode['body']['members'][number], before: Node | undefined): void {
  const { edits } = context;
  const name = JSON.stringify(member.id.type === 'Identifier' ? member.id.name : member.id.value);
  const { initializer } = member;
  if (initializer) {
    edits.replace(startOf(member), startOf(initializer), `__statek_member(${name},`);
    context.visit(initializer);
    edits.insert(endOf(initializer), ')');
    return;
  }
  if (before?.type === 'TSEnumMember' && before.initializer && isText(before.initializer)) {
    context.fail(member, 'This enum member needs a value, because the one before it is a string.');
  }
  edits.replace(startOf(member), endOf(member), `__statek_member(${name})`);
}

function isText(node: Node): boolean {
  const { type } = unwrap(node);
  return type === 'StringLiteral' || type === 'TemplateLiteral';
}
