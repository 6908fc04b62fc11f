// Data as code, in the language of the program that is given it.
import { TaskInputError } from '../errors.ts';

/** Data as TypeScript. */
export function dataLiteral(name: string, value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map((item) => dataLiteral(name, item)).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{ ${membersOf(name, value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${dataLiteral(name, member)}`)
      .join(', ')} }`;
  refuseFunction(name, value);
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Data as Python. */
export function pythonLiteral(name: string, value: unknown): string {
  if (value === undefined || value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value instanceof Date)
    return `__import__('datetime').datetime.fromisoformat(${JSON.stringify(value.toISOString())})`;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `float('${value}')`;
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => pythonLiteral(name, item)).join(', ')}]`;
  if (typeof value === 'object')
    return `{${membersOf(name, value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${pythonLiteral(name, member)}`)
      .join(', ')}}`;
  refuseFunction(name, value);
  return JSON.stringify(value);
}

function membersOf(name: string, value: object): [string, unknown][] {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return Object.entries(value);
  throw new TaskInputError(`The task '${name}' can be given data only; use Live() for objects of the application.`, {
    task: name,
  });
}

function refuseFunction(name: string, value: unknown): void {
  if (typeof value === 'function')
    throw new TaskInputError(`The task '${name}' can be given data only; use Live() for functions.`, { task: name });
}
