// What the placeholders of a prompt stand for: the tools of an agent and the variables of a job, in short or in detail.
import type { Language } from './prompts/metadata.ts';
import type { listingNames } from './prompts/prompt.ts';
import { signatureOf } from './tools/parameters.ts';
import type { KnownTool } from './tools/toolbox.ts';

export function listing(
  name: (typeof listingNames)[number],
  tools: readonly KnownTool[],
  _language: Language,
  variables: readonly string[],
): string {
  switch (name) {
    case 'shared_var_names':
      return variables.join(', ');
    case 'types':
      return '';
    case 'brief_tools':
      return tools.map((tool) => briefOf(tool)).join('\n');
    default:
      return tools.map((tool) => detailOf(tool)).join('\n');
  }
}

export function briefOf({ name, description, input }: KnownTool): string {
  const brief =
    description
      .split(/\n\s*\n/)[0]
      ?.replaceAll(/\s+/g, ' ')
      .trim() ?? '';
  return `${name}${input === undefined ? '(input)' : signatureOf(input.json)}${brief === '' ? '' : `: ${brief}`}`;
}

export function detailOf(tool: KnownTool): string {
  const { properties } = (tool.input?.json ?? {}) as { properties?: Record<string, { description?: string }> };
  const fields = Object.entries(properties ?? {})
    .filter(([, { description }]) => description !== undefined)
    .map(([name, { description }]) => `  ${name}: ${description ?? ''}`);
  const rest = tool.description.split(/\n\s*\n/).slice(1);
  return [briefOf(tool), ...rest, ...fields].join('\n');
}
