// Every hostile snippet, by route.
import { callbacks, futures, promises } from './snippets/asynchronous.ts';
import { cpu, depth, memory, sources } from './snippets/bombs.ts';
import { accessors, evaluation, globals, proxies } from './snippets/code.ts';
import { collections, consoles, forgeries } from './snippets/printing.ts';
import { constructors, prototypes, symbols } from './snippets/reaching.ts';
import type { Snippets } from './snippet.ts';
import { spied, spoilt, stillWorking } from './snippets/tampering.ts';
import { crossing, pollution } from './snippets/values.ts';

export const routes: Readonly<Record<string, Snippets>> = {
  prototypes,
  constructors,
  symbols,
  'code made by code': evaluation,
  'the global object': globals,
  proxies,
  'getters and setters': accessors,
  promises,
  futures,
  callbacks,
  'builtins that listen': spied,
  'builtins that are spoilt': spoilt,
  'builtins that are gone': stillWorking,
  'members that mean something': pollution,
  'values that cross': crossing,
  'the console': consoles,
  'live collections': collections,
  'forged handles': forgeries,
  'endless work': cpu,
  'endless memory': memory,
  'endless depth': depth,
  'odd sources': sources,
};
