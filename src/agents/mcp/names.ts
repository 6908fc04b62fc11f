// Names of a server's tools as names in code. A server is a stranger: it must not be able to replace what guest code
// relies on, nor to hide a tool.
import { McpDefinitionError } from './errors.ts';

/** Names of guest code that tools must not take. */
const reserved = new Set([
  ...'print console sleep until ask signal approve delegate startSubtask findSubtask completeSubtask answer exit fail'.split(
    ' ',
  ),
  ...'clarify panic recall remember unfold printLocals brief docstr listOfExamples showExample listOfDocuments'.split(
    ' ',
  ),
  ...'showDocument searchDocuments ts_cli python_cli event input undefined NaN Infinity eval arguments async await let static'.split(
    ' ',
  ),
  ...'break case catch class const continue debugger default delete do else enum export extends false finally for'.split(
    ' ',
  ),
  ...'function if import in instanceof new null return super switch this throw true try typeof var void while with'.split(
    ' ',
  ),
  ...'yield implements interface package private protected public'.split(' '),
  ...'and as assert def del elif except from global is lambda nonlocal not or pass raise None True False match'.split(
    ' ',
  ),
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]|This$|^parse|^is|URI|scape$/.test(name)),
]);

const longest = 64;

export function codeName(server: string, name: string, prefix: string, renamed: string | undefined): string {
  if (renamed === undefined && (name === '' || name.length > 128))
    throw new McpDefinitionError(
      `The MCP server '${server}' has a tool whose name is ${name === '' ? 'empty' : 'too long'}: '${name.slice(0, 40)}'. Leave it out with 'except'.`,
      { server, tool: name.slice(0, 200) },
    );
  const made = renamed ?? `${prefix}${name.replaceAll(/[^A-Za-z0-9_$]/g, '_')}`.replace(/^_+(?=.)/, '');
  if (!/^[A-Za-z$][\w$]*$/.test(made) || made.length > longest)
    throw new McpDefinitionError(
      `The tool '${name}' of the MCP server '${server}' cannot be called '${made.slice(0, 80)}' in code: a name begins with a letter and has at most ${longest} letters, digits and '_'. Say 'rename' or 'prefix'.`,
      { server, tool: name },
    );
  if (reserved.has(made))
    throw new McpDefinitionError(
      `The tool '${name}' of the MCP server '${server}' would take the name '${made}', which code already has. Say 'rename' or 'prefix'.`,
      { server, tool: name },
    );
  return made;
}
