// What a workspace is given from the command line: data as JSON, and services and classes of the application by name.
import type { Application } from '../application/application.ts';
import type { Given } from '../line/command.ts';
import { UsageError } from '../line/errors.ts';
import { jsonObject } from '../line/parse.ts';
import type { Session } from '../session.ts';

export const variableOptions = [
  { flags: '--vars <json>', description: 'variables the program starts with: JSON, or @file with JSON in it' },
  {
    flags: '--use <name>',
    description: 'a service or durable class of the application as a variable; may be repeated',
    repeats: true as const,
  },
];

export async function givenVariables(session: Session, given: Given): Promise<Record<string, unknown>> {
  const text = given.optional('vars');
  const data = text === undefined ? {} : jsonObject('--vars', text, session.folder);
  const names = given.list('use');
  const application = names.length === 0 ? undefined : await session.application();
  return { ...data, ...Object.fromEntries(names.map((name) => [name, named(application as Application, name)])) };
}

function named({ config }: Application, name: string): unknown {
  const services = config.services ?? {};
  const classes = new Map(
    (config.classes ?? []).map((one) => [(one as { durable?: { name?: string } }).durable?.name ?? one.name, one]),
  );
  const found = Object.hasOwn(services, name) ? services[name] : classes.get(name);
  if (found !== undefined) return found;
  const all = [...Object.keys(services), ...classes.keys()];
  throw new UsageError(`The application has no service or class '${name}'; it has ${all.join(', ') || 'none'}.`);
}
