// A workspace as it was at one commit. It can be looked at and questioned; nothing in it can be changed.
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { Commit } from '../../history/door.ts';
import { runOnce } from '../../objects/door.ts';
import type { Revision } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { ReadOnlyError } from '../errors.ts';
import type { ProgramHost, ShownSizes, StoredImage } from '../language.ts';
import { handlesOf } from '../slices/loaded.ts';
import { defaultLimits, type WorkspaceLimits } from '../limits.ts';
import { comparedSizes, fingerprintsOf } from '../variables/fingerprints.ts';
import { functionFingerprints, functionPlaces, functionTextCode } from '../variables/function-texts.ts';
import { shownSizes, shownVariable, type ComparedVariable, type LocalsOptions } from '../variables/locals.ts';
import { metadataOf, type CommitMetadata, type WorkspaceRow } from '../rows.ts';
import {
  membersOf,
  noSuchValue,
  pageOf,
  refuseNoPath,
  ShownHandle,
  sizesFor,
  sizesOnTheWay,
  variablesAsMembers,
  walk,
  type MemberOptions,
  type Members,
  type ValuePath,
} from './members.ts';
import { SliceClock } from '../slices/slice-clock.ts';
import { execute, type SliceResult } from '../slices/execution.ts';
import { StatekError } from '../../base/error.ts';
import { linesBetween, waitingFutures, type WaitingFuture } from '../step.ts';
import { decodeWire } from '../wire/decode.ts';
import { cutText } from '../wire/render.ts';
import { stepErrorOf } from '../slices/step-error.ts';
import { HandleTable } from '../bridge/handle-table.ts';
import type { WireMessage } from '../wire/wire.ts';

/** Of a function that is shown, in characters. */
const maxSource = 2000;

const readonly = 'The past cannot be changed. Fork the workspace at that commit instead.';

/** A program as it was at a commit, to look at: variables, console, and code that changes nothing. */
export class Past {
  readonly commit: string;
  readonly #context: WorkspaceContext;
  readonly #row: WorkspaceRow;
  readonly #image: StoredImage;
  readonly #metadata: CommitMetadata;
  readonly #handles: HandleTable;
  /** The store's revision that wrote the commit: objects are read as of it. */
  readonly #revision: Revision;
  #own: (all: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> = (all) => all;

  /** @internal */
  static async open(context: WorkspaceContext, row: WorkspaceRow, hash: string): Promise<Past> {
    const { commit, image } = await context.history.checkout(row.id, hash);
    const revision = await context.history.revisionOf(commit);
    return new Past(
      context,
      row,
      { commit, revision },
      (await context.languages.prepared(row.language, 'stored programs')).imageFrom(image.pages),
    );
  }

  private constructor(
    context: WorkspaceContext,
    row: WorkspaceRow,
    { commit, revision }: { readonly commit: Commit; readonly revision: Revision },
    image: StoredImage,
  ) {
    this.commit = commit.hash;
    this.#revision = revision;
    this.#context = context;
    this.#row = row;
    this.#image = image;
    this.#metadata = metadataOf(commit);
    this.#handles = handlesOf(context, row, new Map());
  }

  /** Variables by name, as they are shown. */
  variables(options: LocalsOptions = {}): ReadonlyMap<string, unknown> {
    return this.variablesWith(options, undefined);
  }

  /** @internal The same; `handle` gives what stands for an object of the application. */
  variablesWith(
    options: LocalsOptions,
    handle: ((token: string) => unknown) | undefined,
  ): ReadonlyMap<string, unknown> {
    return this.#decode(this.#message(shownSizes(options)), handle) as Map<string, unknown>;
  }

  #message(sizes: ShownSizes): WireMessage {
    const language = this.#context.languages.of(this.#row.language);
    const limits = limitsToLook(this.#row.limits);
    const program = language.start(this.#image, refusing(this.#context, limits), limits);
    try {
      return program.variables(sizes);
    } finally {
      program.release();
    }
  }

  /** @internal Variables as people see them and as they are compared, durable objects with what they were then. */
  async compared(): Promise<ReadonlyMap<string, ComparedVariable>> {
    const { objects } = this.#context;
    const objectOf = (token: string): unknown =>
      HandleTable.hasPast(token) ? this.#handles.objectOrShown(token) : this.#handles.shown(token);
    const message = this.#message(comparedSizes);
    const functions = await this.#functions(message);
    const compare = (): ReadonlyMap<string, ComparedVariable> => {
      const values = this.variablesWith({}, objectOf);
      const exact = fingerprintsOf(
        message,
        (token) => `${HandleTable.nameIn(token)} ${shownVariable(objectOf(token))}`,
      );
      return new Map(
        [...values].map(([name, value]) => {
          const text = functions.source.get(name) ?? shownVariable(value);
          return [name, { text, exact: `${exact.get(name)} ${functions.exact.get(name)}` }] as const;
        }),
      );
    };
    const { result } = await runOnce(objects, compare, { revision: this.#revision, readonly });
    return result;
  }

  /** What the functions and classes in the variables do: to compare, and of those that have a source, to show. */
  async #functions(
    message: WireMessage,
  ): Promise<{ readonly exact: ReadonlyMap<string, string>; readonly source: ReadonlyMap<string, string> }> {
    const places = functionPlaces(message);
    if (places.length === 0) return { exact: new Map(), source: new Map() };
    const { language } = this.#row;
    // What cannot be asked, such as a program that has used up its memory, is compared by name.
    const texts = (await this.run(functionTextCode(language, places)).catch(() => [])) as readonly unknown[];
    const sources = places.flatMap(({ variable, steps }, index): [string, string][] => {
      const text = texts[index];
      const isSource = language === 'typescript' && steps.length === 0 && typeof text === 'string' && text !== '';
      return isSource ? [[variable, cutText(text, maxSource)]] : [];
    });
    return { exact: functionFingerprints(places, texts), source: new Map(sources) };
  }

  /**
   * The members of one value, each in a line, without running any of the program's code; with an empty path, the variables. Large
   * values are read page by page.
   */
  members(path: ValuePath = [], options: MemberOptions = {}): Members {
    refuseUnknownOptions('members', options, { offset: true, limit: true });
    refuseNoPath(path);
    const offset = wholeNumberOption('members', 'offset', options.offset ?? 0, 0, 2 ** 31);
    const limit = wholeNumberOption('members', 'limit', options.limit ?? 100, 1, 10_000);
    const handle = (token: string): unknown =>
      new ShownHandle(`[${HandleTable.nameIn(token)}]`, HandleTable.durableIdOf(token));
    const read = (sizes: ShownSizes): ReadonlyMap<string, unknown> =>
      this.#decode(this.#message(sizes), handle) as Map<string, unknown>;
    const found = read(sizesFor(path, offset, limit));
    if (path.length === 0) return variablesAsMembers(found, offset, limit);
    if (found.has('')) return membersOf(found.get(''), offset);
    if (found.size === 0) throw noSuchValue(path);
    // A program that started on an earlier engine tells all its variables.
    return pageOf(walk(read(sizesOnTheWay(path, offset, limit)), path), offset, limit);
  }

  /** The variables, as data and without running any of the program's code. */
  locals(options: LocalsOptions = {}): Readonly<Record<string, unknown>> {
    return this.#own(Object.fromEntries(this.variables(options)));
  }

  /** @internal Leaves out of `locals()` what the layer above does not count among the variables of the program. */
  withOwn(own: (all: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): this {
    this.#own = own;
    return this;
  }

  /** What the program waited for then, whatever has become of it since. */
  async waiting(): Promise<readonly WaitingFuture[]> {
    const { state } = this.#metadata;
    return waitingFutures(this.#context, { language: this.#row.language, state }, { isPast: true });
  }

  async console(): Promise<readonly string[]> {
    const { console } = this.#metadata.state;
    const lines = await Promise.all(
      console.map(({ workspace, from, to }) => linesBetween(this.#context, workspace, [from, to])),
    );
    return lines.flat().map(({ text }) => text);
  }

  /**
   * Runs code on a copy of the program and returns its value. What it changes is gone afterwards. It can wait for nothing,
   * and durable objects are to it as they were then. It cannot use other objects of the application: what they are today
   * is not what they were.
   */
  async run(source: string): Promise<unknown> {
    const step = this.#row.nextStep;
    const { languages, clock, objects } = this.#context;
    const language = languages.of(this.#row.language);
    const compiled = compiledExpression(() => language.compile(source, step, this.#row.limits), step);
    const slice = (): SliceResult =>
      execute(
        {
          workspace: this.#row.id,
          step,
          image: this.#image,
          language,
          handles: this.#handles,
          graph: objects,
          role: this.#row.role,
          limits: this.#row.limits,
          timeZone: this.#row.timeZone,
          isPast: true,
          nextFuture: 1,
          waiting: 0,
          printed: 0,
          forget: [],
          now: () => clock.now(),
        },
        { kind: 'step', number: step, compiled },
      );
    const revision = this.#revision;
    const { result } = await runOnce(objects, slice, { revision, readonly });
    const [end] = result.ended;
    if (end === undefined) throw new ReadOnlyError('Code that looks at the past cannot wait for anything.');
    if (!end.failed) return this.#decode(end.message);
    const thrown = { number: step, source };
    const { name, message } = await stepErrorOf(this.#context, this.#handles, end.message, this.#row, thrown);
    const error = new Error(message);
    error.name = name;
    throw error;
  }

  // What an object is today is not what it was then; its name is enough.
  #decode(message: WireMessage, handle = (token: string): unknown => this.#handles.shown(token)): unknown {
    return decodeWire(message, {
      handle,
      callback: () => undefined,
      maxBytes: Number.POSITIVE_INFINITY,
    });
  }
}

// Looking runs none of the program's code, so what the program may use does not limit it.
function limitsToLook(limits: WorkspaceLimits): WorkspaceLimits {
  return { ...defaultLimits, heapBytes: Math.min(limits.heapBytes + defaultLimits.heapBytes, 3 * 2 ** 30) };
}

function refusing({ clock }: WorkspaceContext, limits: WorkspaceLimits): ProgramHost {
  let time: SliceClock | undefined;
  const refuse = (): never => {
    throw new ReadOnlyError('The past cannot be changed.');
  };
  return {
    isOver: () => (time ??= new SliceClock(limits)).isOver(),
    now: () => clock.now(),
    zoneOffset: () => 0,
    answer: refuse,
    answerPlain: refuse,
  };
}

/** Code that looks at the past is no step of the program: an error in it names its line only. */
function compiledExpression<Compiled>(compile: () => Compiled, step: number): Compiled {
  try {
    return compile();
  } catch (error) {
    if (error instanceof StatekError) error.message = error.message.replace(`(step ${step}, line `, '(line ');
    throw error;
  }
}
