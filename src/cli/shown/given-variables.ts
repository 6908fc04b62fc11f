// Variables from the command line: JSON data, and services and classes of the application by name.
import { ownOptions } from '../../objects/declaration.ts';
import type { Application } from '../application/application.ts';
import type { Given } from '../line/command.ts';
import { UsageError } from '../line/errors.ts';
import { jsonObject } from '../line/parse.ts';
import type { Session } from '../session.ts';

export const variableOptions = [
  { flags: '--vars <json>', description: 'initial variables of the program: JSON object, or @file' },
  {
    flags: '--use <name>',
    description: 'a service or durable class of the application to define as a variable; repeatable',
    repeats: true as const,
  },
];

export async function givenVariables(session: Session, given: Given): Promise<Record<string, unknown>> {
  const text = given.optional('vars');
  const data = text === undefined ? {} : jsonObject('--vars', text, session.folder);
  const names = given.list('use');
  const application = names.length === 0 ? undefined : await session.application();
  return {
    ...data,
    ...Object.fromEntries(names.map((name) => [name, serviceOrClass(application as Application, name)])),
  };
}

function serviceOrClass({ config }: Application, name: string): unknown {
  const services = config.services ?? {};
  const classes = new Map((config.classes ?? []).map((one) => [ownOptions(one)?.name ?? one.name, one]));
  const found = Object.hasOwn(services, name) ? services[name] : classes.get(name);
  if (found !== undefined) return found;
  const all = [...Object.keys(services), ...classes.keys()];
  throw new UsageError(
    `--use: the application has no service or class '${name}'. It has: ${all.join(', ') || 'none'}.`,
  );
}
