// What is sent to a server is data. An object of the application that guest code holds a handle to is not: its fields
// would be sent to another system without anybody having said so.
import { ToolInputError } from '../errors.ts';
import { isRecord } from '../tools/schema.ts';

export function plainInput(tool: string, value: unknown): Record<string, unknown> {
  const plain = copied(tool, value ?? {}, '', []);
  if (isRecord(plain)) return plain;
  throw new ToolInputError(`${tool} takes an object with its fields.`, { tool });
}

function copied(tool: string, value: unknown, path: string, around: readonly object[]): unknown {
  const refused = (what: string): ToolInputError =>
    new ToolInputError(`${tool}: ${path || 'what it was given'} is ${what}, and only data can be sent to its server.`, {
      tool,
      path,
    });
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw refused(String(value));
      return value;
    case 'object':
      break;
    default:
      throw refused(`a ${typeof value}`);
  }
  if (value === null) return null;
  if (around.includes(value)) throw refused('part of itself');
  if (around.length > 100) throw refused('nested too deeply');
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refused('not a date');
    return value.toISOString();
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  const inside = [...around, value];
  if (Array.isArray(value)) return value.map((item, index) => copied(tool, item, `${path}[${index}]`, inside) ?? null);
  if (!isRecord(value)) throw refused('an object of its own kind');
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      copied(tool, member, path === '' ? name : `${path}.${name}`, inside),
    ]),
  );
}
