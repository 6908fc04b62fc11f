// Tools of a server as tools of an agent.
import type { Tool } from '@modelcontextprotocol/client';
import { InvalidOptionError, refuseUnknownOptions, type OptionNames } from '../../base/options.ts';
import type { JsonObject } from '../../models/door.ts';
import { callOptionNames, type CallOptions } from '../../workspace/door.ts';
import { mark } from '../tools/schema.ts';
import { tool, type ToolContext, type ToolOptions } from '../tools/tool.ts';
import { McpDefinitionError, McpLimitError } from './errors.ts';
import { infoOf, type McpToolInfo } from './listing.ts';
import { codeName } from './names.ts';
import type { McpLimits } from './options.ts';
import { plainInput } from './plain-input.ts';
import { strangersSchema } from './schema-check.ts';

/** How a tool is called and shown; a server's own hints give way to it. */
export interface McpToolSettings
  extends
    Omit<CallOptions, 'effect'>,
    Pick<ToolOptions<never, unknown>, 'description' | 'hidden' | 'target' | 'capabilities' | 'onJobError'> {}

/** Which tools of a server are used, and under which names. */
export interface McpToolsOptions {
  /** Only these tools, by the server's names; default: all. One that the server does not have is an error. */
  readonly only?: readonly string[] | undefined;
  /** All but these. */
  readonly except?: readonly string[] | undefined;
  /** Put before every name in code. */
  readonly prefix?: string | undefined;
  /** Names in code, by the server's names. */
  readonly rename?: Readonly<Record<string, string>> | undefined;
  /** How tools are called and shown: by the server's names, or by what the server says of them. */
  readonly options?:
    | Readonly<Record<string, McpToolSettings>>
    | ((info: McpToolInfo) => McpToolSettings | undefined)
    | undefined;
}

/** A tool of a server, as agents and guest code call it. */
export type McpTool = (input: Readonly<Record<string, unknown>>) => Promise<unknown>;

// A call of a server is always an effect, so that is not for the application to say.
const { effect: _effect, ...callNames } = callOptionNames;
const settingNames: OptionNames<McpToolSettings> = {
  ...callNames,
  description: true,
  hidden: true,
  target: true,
  capabilities: true,
  onJobError: true,
};

/** Makes a call; `idempotent` says whether it may be made again if nobody knows what came of it. */
export type MakeCall = (
  tool: Tool,
  input: Record<string, unknown>,
  context: ToolContext,
  idempotent: boolean,
) => Promise<unknown>;

export function checkToolsOptions(server: string, options: McpToolsOptions): void {
  const where = `tools of the MCP server '${server}'`;
  refuseUnknownOptions(where, options, { only: true, except: true, prefix: true, rename: true, options: true });
  const { prefix = '' } = options;
  if (prefix !== '' && !/^[A-Za-z$][\w$]*$/.test(prefix))
    throw new InvalidOptionError(`${where}: 'prefix' begins with a letter and has letters, digits and '_'.`, {
      name: 'prefix',
    });
}

/** The tools that were chosen. `isFirst`: names that the application gave must be there. */
export function chosenTools(
  server: string,
  listed: readonly Tool[],
  options: McpToolsOptions,
  { limits, call, isFirst }: { readonly limits: McpLimits; readonly call: MakeCall; readonly isFirst: boolean },
): McpTool[] {
  const { only, except = [], prefix = '', rename = {}, options: settings } = options;
  if (isFirst)
    refuseUnknownTools(server, listed, [...(only ?? []), ...except, ...Object.keys(rename), ...namesIn(settings)]);
  const chosen = listed.filter(({ name }) => (only === undefined || only.includes(name)) && !except.includes(name));
  const names = new Map<string, string>();
  return chosen.map((one) => {
    const { name } = one;
    const known = codeName(server, name, prefix, Object.hasOwn(rename, name) ? rename[name] : undefined);
    const twin = names.get(known);
    if (twin !== undefined)
      throw new McpDefinitionError(
        `The MCP server '${server}' has two tools that would both be called '${known}' in code: '${twin}' and '${name}'. Say 'rename', or leave one out with 'except'.`,
        { server, tool: name },
      );
    names.set(known, name);
    const info = infoOf(one);
    refuseLarge(server, info, limits.maxDefinitionBytes);
    const own =
      typeof settings === 'function'
        ? settings(info)
        : settings && Object.hasOwn(settings, name)
          ? settings[name]
          : undefined;
    return toolOf(one, known, info, own ?? {}, call);
  });
}

function toolOf(listed: Tool, name: string, info: McpToolInfo, own: McpToolSettings, call: MakeCall): McpTool {
  refuseUnknownOptions(`The tool '${info.name}'`, own, settingNames);
  const { annotations, inputSchema, outputSchema } = info;
  const idempotent = own.idempotent ?? (annotations.readOnlyHint === true || annotations.idempotentHint === true);
  const description = own.description ?? (info.description || info.title || '');
  const common = {
    ...own,
    name,
    description,
    effect: true,
    idempotent,
    input: strangersSchema(clean(inputSchema)),
    execute: (input: unknown, context: ToolContext) => call(listed, plainInput(name, input), context, idempotent),
  };
  const made =
    outputSchema === undefined ? tool(common) : tool({ ...common, output: strangersSchema(clean(outputSchema)) });
  return made;
}

function namesIn(settings: McpToolsOptions['options']): readonly string[] {
  return settings === undefined || typeof settings === 'function' ? [] : Object.keys(settings);
}

function refuseUnknownTools(server: string, listed: readonly Tool[], names: readonly string[]): void {
  for (const name of names)
    if (!listed.some((one) => one.name === name))
      throw new McpDefinitionError(
        `The MCP server '${server}' has no tool '${name}'; it has: ${
          listed
            .map((one) => one.name)
            .slice(0, 50)
            .join(', ') || 'none'
        }.`,
        { server, tool: name },
      );
}

function refuseLarge(server: string, info: McpToolInfo, most: number): void {
  const size = Buffer.byteLength(JSON.stringify(info));
  if (size > most)
    throw new McpLimitError(
      `The definition of the tool '${info.name}' of the MCP server '${server}' takes ${size} bytes, and ${most} are allowed. Leave it out with 'except', or raise 'maxDefinitionBytes'.`,
      { server, tool: info.name, size, limit: most },
    );
}

/** The schema without marks that mean something here; a server does not know them, or should not. */
function clean(schema: unknown): JsonObject {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => (key === mark ? undefined : value)) as JsonObject;
}
