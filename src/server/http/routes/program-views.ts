// What can be seen of a program and its past: the same for jobs and for workspaces used by themselves.
import { z } from 'zod';
import type { ListPage } from '../../../base/list-page.ts';
import {
  NotFoundError,
  type ConsolePageOptions,
  type LocalsOptions,
  type Past,
  type Workspace,
} from '../../../workspace/door.ts';
import type { KitAccess } from '../../access/kit-access.ts';
import { namesIn, partOf } from '../../json/part-of.ts';
import { commitShape, differenceShape, futureShape } from '../../json/shapes.ts';
import { jsonOf } from '../../json/values.ts';
import { RequestError } from '../problem.ts';
import { idText, queryNumber, route, type Route } from '../route.ts';
import {
  commitJson,
  cursor,
  differenceJson,
  listOf,
  listQuery,
  memberQuery,
  membersJson,
  pageJson,
  time,
  waitJson,
} from '../shapes.ts';

/** A program as its views need it. */
interface Viewed {
  locals(options?: LocalsOptions): Promise<Readonly<Record<string, unknown>>>;
  consolePage(options: ConsolePageOptions): Promise<ListPage<string>>;
  at(hash: string): Promise<Past>;
}

/** Where programs are found. */
interface ProgramPlace<Path extends z.ZodRawShape> {
  /** What a program is called in summaries. */
  readonly noun: string;
  readonly path: Path;
  /** A job has variables and a console, empty ones, before its first code. */
  viewed(access: KitAccess, path: z.output<z.ZodObject<Path>>): Promise<Viewed>;
  workspace(access: KitAccess, path: z.output<z.ZodObject<Path>>): Promise<Workspace>;
}

const codeText = z.string().min(1).max(100_000);
const commitPlace = z.object({ hash: z.string(), sequence: z.int(), time });

/** The views of programs below a path such as `/jobs/{id}`. */
// eslint-disable-next-line typescript/explicit-function-return-type, typescript/explicit-module-boundary-types -- the types of the client are inferred from it
export function programViews<const Prefix extends string, Path extends z.ZodRawShape>(
  prefix: Prefix,
  { noun, path, viewed, workspace }: ProgramPlace<Path>,
) {
  const withCommit = { ...path, commit: idText };
  type WithCommit = z.output<z.ZodObject<typeof withCommit>>;
  const commitIn = (given: WithCommit): string => (given as { readonly commit: string }).commit;
  const past = async (access: KitAccess, given: z.output<z.ZodObject<Path>>, commit: string | undefined) => {
    const program = await viewed(access, given);
    return commit === undefined ? program : program.at(commit);
  };
  return [
    route('GET', `${prefix}/console` as const, {
      summary: `What the program of ${noun} has printed; at a commit, what it had printed by then.`,
      right: 'read',
      path,
      query: { ...listQuery, commit: idText.optional() },
      answer: listOf(z.string()),
      handle: async ({ access, path: given, query: { maxText: max, ...options } }) =>
        pageJson(await (await viewed(access, given)).consolePage(options), max),
    }),
    route('GET', `${prefix}/locals` as const, {
      summary: `The variables of ${noun}, now or at a commit; with \`path\`, the members of one value from \`offset\` on.`,
      right: 'read',
      path,
      query: {
        commit: idText.optional(),
        path: z.string().max(4000).optional(),
        offset: queryNumber(0, 10_000_000, 0),
        limit: queryNumber(1, 1000, 100),
      },
      answer: z.object({ value: z.unknown(), total: z.int().optional() }).loose(),
      async handle({ access, path: given, query }) {
        const sizes = { items: query.offset + query.limit, depth: 6, text: 20_000 };
        return { ...partOf(await (await past(access, given, query.commit)).locals(sizes), query) };
      },
    }),
    route('GET', `${prefix}/members` as const, {
      summary: `The members of one value in the variables of ${noun}, each in a line, now or at a commit; without a path, the variables.`,
      right: 'read',
      path,
      query: memberQuery,
      answer: membersJson,
      async handle({ access, path: given, query: { commit, path: names, offset, limit } }) {
        const program = await workspace(access, given);
        const of = commit === undefined ? program : await program.at(commit);
        return (await of.members(namesIn(names), { offset, limit })) as never;
      },
    }),
    route('GET', `${prefix}/source` as const, {
      summary: `The code of a step of ${noun}, and what came of it.`,
      right: 'read',
      path,
      query: { step: z.coerce.number().int().min(1) },
      answer: z.object({
        step: z.int(),
        source: z.string(),
        language: z.string(),
        status: z.string(),
        commit: z.string().optional().describe('the latest commit of the step'),
        error: z
          .object({
            name: z.string(),
            message: z.string(),
            line: z.int().optional(),
            column: z.int().optional(),
          })
          .optional(),
      }),
      async handle({ access, path: given, query: { step } }) {
        const { error, ...facts } = await (await workspace(access, given)).sourceFacts(step);
        if (error === undefined) return { step, ...facts };
        const { name, message, line, column } = error;
        const where = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
        return { step, ...facts, error: { name, message, ...where } };
      },
    }),
    route('GET', `${prefix}/commits` as const, {
      summary: `The commits of the program of ${noun}, newest first.`,
      right: 'read',
      path,
      query: {
        limit: queryNumber(1, 1000, 100),
        cursor,
        before: z.coerce.number().int().min(0).optional().describe('only commits with a lower sequence number'),
      },
      answer: z.object({ commits: z.array(commitJson), cursor: z.string().optional() }),
      async handle({ access, path: given, query }) {
        const page = await (await workspace(access, given)).commitPage(query);
        return { commits: page.commits.map(commitShape), cursor: page.cursor } as never;
      },
    }),
    route('GET', `${prefix}/commits/{commit}` as const, {
      summary: `One commit of ${noun}: the variables it changed, the code of the step it belongs to, and what it waited for.`,
      right: 'read',
      path: withCommit,
      answer: z.object({
        commit: commitJson,
        changed: z.array(differenceJson),
        source: z.object({ step: z.int(), text: z.string() }).optional(),
        waiting: z.array(waitJson).describe('what the program waited for then'),
      }),
      handle: async ({ access, path: given }) =>
        (await wholeCommit(await workspace(access, given as never), commitIn(given))) as never,
    }),
    route('GET', `${prefix}/diff` as const, {
      summary: 'The variables that differ between two commits.',
      right: 'read',
      path,
      query: { from: idText, to: idText },
      answer: z.object({ differences: z.array(differenceJson) }),
      handle: async ({ access, path: given, query: { from, to } }) => ({
        differences: differenceShape(await (await workspace(access, given)).diff(from, to)) as never,
      }),
    }),
    route('POST', `${prefix}/watch` as const, {
      summary: `The value of an expression at many commits of ${noun}, oldest first; if there are more than \`limit\`, sampled evenly.`,
      right: 'read',
      path,
      body: z.strictObject({
        code: codeText,
        from: z.int().min(0).optional(),
        to: z.int().min(0).optional(),
        limit: z.int().min(1).max(1000).optional(),
      }),
      answer: z.object({
        values: z.array(commitPlace.extend({ value: z.unknown(), error: z.string().optional() })),
        isSampled: z.boolean(),
      }),
      async handle({ access, path: given, body: { code, ...options }, signal: gone, maxWait }) {
        const program = await workspace(access, given);
        const watched = await inTime(maxWait, gone, (signal) => program.watch(code, { ...options, signal }));
        return { ...watched, values: watched.values.map((one) => jsonOf({ ...one }) as never) };
      },
    }),
    route('POST', `${prefix}/find` as const, {
      summary: `The first commit of ${noun} at which an expression is true, by bisection.`,
      right: 'read',
      path,
      body: z.strictObject({ code: codeText }),
      answer: z.object({ found: commitPlace.optional(), evaluated: z.int(), error: z.string().optional() }),
      async handle({ access, path: given, body: { code }, signal: gone, maxWait }) {
        const program = await workspace(access, given);
        const { found, ...rest } = await inTime(maxWait, gone, (signal) => program.find(code, { signal }));
        return { ...(found === undefined ? {} : { found: jsonOf({ ...found }) as never }), ...rest };
      },
    }),
    route('POST', `${prefix}/at/{commit}/evaluate` as const, {
      summary: 'Evaluates code on a copy of the program at a commit. It can change nothing and wait for nothing.',
      right: 'read',
      path: withCommit,
      body: z.strictObject({ code: codeText }),
      answer: z.object({ value: z.unknown() }),
      async handle({ access, path: given, body: { code } }) {
        const then = await (await workspace(access, given as never)).at(commitIn(given));
        try {
          return { value: jsonOf(await then.run(code)) ?? null };
        } catch (error) {
          // What the code threw is an ordinary error, made from its name and message alone.
          if (error instanceof Error && error.constructor === Error)
            throw new RequestError(422, 'EVALUATION', `${error.name}: ${error.message}`);
          throw error;
        }
      },
    }),
  ] satisfies readonly Route[];
}

async function wholeCommit(workspace: Workspace, hash: string): Promise<unknown> {
  const commit = await workspace.commit(hash);
  if (commit === undefined) throw new NotFoundError(`There is no commit '${hash}'.`, { workspace: workspace.id, hash });
  const { parent, step } = commit;
  // Retention may have dropped the one before it.
  const before = parent === null ? undefined : await workspace.commit(parent);
  const changed = before === undefined ? [] : await workspace.diff(before.hash, hash);
  const text = step === null ? undefined : await workspace.source(step).catch(() => undefined);
  const waiting = await (await workspace.at(hash)).waiting();
  return {
    commit: commitShape(commit),
    waiting: waiting.map(futureShape),
    changed: differenceShape(changed),
    ...(text === undefined ? {} : { source: { step, text } }),
  };
}

/** Looking at many commits ends when the caller is gone, or after as long as a request may take. */
async function inTime<Result>(
  milliseconds: number,
  gone: AbortSignal,
  look: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = AbortSignal.timeout(milliseconds);
  try {
    return await look(AbortSignal.any([gone, late]));
  } catch (error) {
    if (!late.aborted) throw error;
    throw new RequestError(422, 'EVALUATION', 'Looking at so many commits took too long. Look at fewer of them.');
  }
}
