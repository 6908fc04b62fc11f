// Random messages straight to the bridge and the decoder, as if a program had got hold of the function boot code uses. They
// are answered or refused; nothing of the host changes, and nothing but the project's own errors comes out.
import * as fc from 'fast-check';
import { StatekError } from '../../../src/base/error.ts';
import { Bridge, type SliceRequests } from '../../../src/workspace/bridge/bridge.ts';
import { Objects } from '../../../src/objects/objects.ts';
import { openStore } from '../../../src/store/open.ts';
import { HandleTable } from '../../../src/workspace/bridge/handle-table.ts';
import { operationNumbers, type Operation } from '../../../src/workspace/bridge/operations.ts';
import { renderLine } from '../../../src/workspace/wire/render.ts';
import { decodeWire } from '../../../src/workspace/wire/decode.ts';
import { canaryState, changedCanaries, type CanaryState } from '../canaries.ts';
import { makeWorld, secret } from '../world.ts';
import { receivedMessage } from '../../../src/workspace/wire/wire.ts';

export interface Message {
  readonly operation: Operation;
  readonly text: string;
  /** What the guest would answer if the host called one of its functions. */
  readonly answer: string;
}

const maxValueBytes = 4096;
const names = ['service', 'account', 'list', 'table', 'tags', 'closed', 'frozen', 'plain'];
const members = [
  'title',
  'echo',
  'each',
  'add',
  'merge',
  'child',
  'later',
  'owner',
  'currency',
  'note',
  '_internal',
  'hidden',
  'constructor',
  '__proto__',
  'then',
  'toString',
  '',
];
const changes = ['size', 'at', 'page', 'put', 'resize', 'get', 'set', 'has', 'delete', 'clear', 'add', '__proto__'];

const kinds = ['sleep', 'until', 'signal', 'ask', 'constructor'];

// Names stand for tokens, which are put in when a message is sent: they differ from one table to the next.
const handle = fc.constantFrom(...names).map((name) => `<${name}>`);
const token = fc.oneof(
  { weight: 20, arbitrary: handle },
  { weight: 1, arbitrary: fc.constantFrom('', '.', 'service.x.y', 'transient.x.y', 'variable.c2VydmljZQ.AAAA') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const anyText = fc.oneof(fc.constantFrom(...members, ...changes), fc.string({ unit: 'binary', maxLength: 20 }));
const number = fc.oneof(fc.nat(5), fc.integer(), fc.double(), fc.constantFrom(2 ** 32 - 1, 2 ** 53, -1, -0));

/** A reference to a node; which ones there are is known when the message is put together. */
class NodeReference {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.nat(20).map((index) => new NodeReference(index)) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, ['u'], ['n', 'NaN'], ['n', '-0'], ['b', '12']) },
  { weight: 2, arbitrary: number },
  { weight: 3, arbitrary: anyText },
);
const values = fc.array(value, { maxLength: 5 });
const pairs = fc.array(fc.tuple(anyText, value), { maxLength: 4 }).map((list) => list.flat());
const bytes = fc.tuple(fc.constantFrom('Uint8Array', 'Float64Array', 'ArrayBuffer'), fc.base64String());

const soundNode: fc.Arbitrary<readonly unknown[]> = fc.oneof(
  values.map((items) => ['A', ...items]),
  pairs.map((list) => ['O', ...list]),
  fc.array(fc.tuple(value, value), { maxLength: 3 }).map((list) => ['M', ...list.flat()]),
  values.map((items) => ['S', ...items]),
  number.map((time) => ['D', time]),
  bytes.map((list) => ['Y', ...list]),
  fc.tuple(anyText, anyText, anyText, pairs).map(([name, said, stack, list]) => ['E', name, said, stack, ...list]),
  fc.tuple(anyText, anyText).map((list) => ['X', ...list]),
  handle.map((name) => ['H', name]),
  fc.nat(3).map((id) => ['C', id]),
  fc.tuple(anyText, anyText).map((list) => ['F', ...list]),
  fc.tuple(anyText, pairs).map(([name, list]) => ['I', name, ...list]),
  anyText.map((shown) => ['T', shown]),
  fc.nat(9).map((count) => ['+', count]),
);
const oddNode: fc.Arbitrary<readonly unknown[]> = fc
  .tuple(fc.constantFrom('A', 'O', 'M', 'D', 'Y', 'E', 'H', 'C', 'I', '', 'constructor'), values)
  .map(([kind, items]) => [kind, ...items]);
const nodes = fc.array(fc.oneof({ weight: 30, arbitrary: soundNode }, { weight: 1, arbitrary: oddNode }), {
  maxLength: 6,
});

function assembled(...parts: readonly (readonly unknown[])[]): string {
  return JSON.stringify([new NodeReference(0), ...parts], (_, member: unknown) =>
    member instanceof NodeReference ? [member.index % parts.length] : member,
  );
}

const methods: readonly (readonly [string, string])[] = [
  ...[
    'add',
    'echo',
    'each',
    'swallow',
    'fail',
    'strange',
    'child',
    'children',
    'merge',
    'exposed',
    'error',
    'bytes',
    'later',
  ].map((name) => ['<service>', name] as const),
  ['<account>', 'deposit'],
  ['<account>', 'child'],
  ['<frozen>', 'read'],
  ['<plain>', ''],
];
const fields: readonly (readonly [string, string])[] = [
  ...['title', 'data', 'account'].map((name) => ['<service>', name] as const),
  ...['owner', 'currency', 'balance', 'limit', 'note'].map((name) => ['<account>', name] as const),
  ['<frozen>', 'size'],
];
const collections: readonly (readonly [string, string])[] = [
  ...['size', 'at', 'page', 'put', 'resize'].flatMap((name) => [
    ['<list>', name] as const,
    ['<closed>', name] as const,
  ]),
  ...['size', 'get', 'set', 'has', 'delete', 'clear', 'page'].map((name) => ['<table>', name] as const),
  ...['size', 'add', 'has', 'delete', 'clear', 'page'].map((name) => ['<tags>', name] as const),
];

/** The three parameters of most requests: whose, what, with what. */
function request(fitting: readonly (readonly [string, string])[], third: 'list' | 'any'): fc.Arbitrary<string> {
  const asked = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: fc.tuple(token, anyText) },
  );
  return fc
    .tuple(asked, values, value, nodes)
    .map(([[whose, what], parameters, given, rest]) =>
      third === 'list'
        ? assembled(['A', whose, what, new NodeReference(1)], ['A', ...parameters], ...rest)
        : assembled(['A', whose, what, given], ...rest),
    );
}

const shown = fc.tuple(values, nodes).map(([items, rest]) => assembled(['A', ...items], ...rest));
const future = fc
  .tuple(fc.constantFrom(...kinds), pairs, nodes)
  .map(([kind, list, rest]) => assembled(['A', kind, new NodeReference(1)], ['O', ...list], ...rest));

const sound: Readonly<Record<Operation, fc.Arbitrary<string>>> = {
  shape: token,
  get: fc
    .oneof(fc.constantFrom(...fields), fc.tuple(token, fc.constantFrom(...members)))
    .map(([whose, name]) => `${whose}\n${name}`),
  set: request(fields, 'any'),
  call: request(methods, 'list'),
  collection: request(collections, 'list'),
  print: fc.tuple(fc.constantFrom('log', 'group', 'groupEnd', 'x'), shown).map(([level, text]) => `${level}\n${text}`),
  future,
  stepEnded: shown,
  place: fc.tuple(fc.nat(5), anyText).map(([place, stack]) => `${place}\n${stack}\n at (step 1:2:3)`),
  construct: fc
    .tuple(token, nodes)
    .map(([whose, rest]) => assembled(['A', whose, new NodeReference(1)], ['A'], ...rest)),
};

const nonsense = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.nat(3000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
);

/** Some are cut, doubled or changed in one place after they were made. */
function mutated(body: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const mutation = fc.constantFrom('none', 'none', 'none', 'none', 'cut', 'double', 'change');
  return fc
    .tuple(body, mutation, fc.nat(), fc.string({ unit: 'binary', maxLength: 3 }))
    .map(([whole, how, seed, piece]) => {
      const at = whole.length === 0 ? 0 : seed % whole.length;
      if (how === 'cut') return whole.slice(0, at);
      if (how === 'double') return whole.slice(0, at) + whole;
      return how === 'change' ? whole.slice(0, at) + piece + whole.slice(at + 1) : whole;
    });
}

export const message: fc.Arbitrary<Message> = fc
  .constantFrom(...(Object.keys(operationNumbers) as Operation[]))
  .chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      text: fc.oneof({ weight: 10, arbitrary: mutated(sound[operation]) }, { weight: 1, arbitrary: nonsense }),
      answer: mutated(shown),
    }),
  );

const graph = await Objects.open(await openStore('memory:'));
let canaries: CanaryState | undefined;
const internals = JSON.stringify(makeWorld().internals());

/** What is wrong with how a message was answered. */
export function problemsOfMessage({ operation, text: sent, answer }: Message): string[] {
  canaries ??= canaryState();
  const world = makeWorld();
  const variables = new Map(
    Object.entries(world.variables).filter(([name]) => names.includes(name)) as [string, object][],
  );
  const handles = new HandleTable(Buffer.alloc(32, 7), { services: new Map(), variables });
  const withTokens = (whole: string): string =>
    whole.replaceAll(/<([a-z]+)>/g, (all, name: string) => {
      const object = variables.get(name);
      return object === undefined ? all : handles.tokenFor(object);
    });
  const bridge = new Bridge(handles, requestsWith(withTokens(answer)), {
    workspace: 'fuzz',
    maxValueBytes,
    graph,
    role: undefined,
  });
  const problems: string[] = [];
  const received = outcome(() => bridge.answer(operation, withTokens(sent)), problems);
  if (received !== undefined) {
    if (!/^[=!~]/.test(received)) problems.push(`The answer is ${received.slice(0, 100)}.`);
    if (received.length > maxValueBytes + 100) problems.push('The answer is larger than allowed.');
    if (received.includes(secret)) problems.push('The secret got out.');
  }
  outcome(
    () =>
      decodeWire(receivedMessage(withTokens(sent)), {
        maxBytes: maxValueBytes,
        handle: (name) => handles.objectOrShown(name),
        callback: () => undefined,
      }),
    problems,
  );
  if (JSON.stringify(world.internals()) !== internals) problems.push('Something hidden changed.');
  problems.push(...changedCanaries(canaries).map((name) => `${name} of the host changed.`));
  return problems;
}

function outcome<Result>(action: () => Result, problems: string[]): Result | undefined {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof StatekError))
      problems.push(`It threw ${error instanceof Error ? error.stack : String(error)}`);
    return undefined;
  }
}

function requestsWith(answer: string): SliceRequests {
  return {
    print: (_level, given) => void renderLine(given),
    startCall: () => 1,
    called: (_token, { parameters }) => void parameters(),
    now: () => 0,
    startFuture: () => 1,
    spend: () => undefined,
    refuseIfOver: () => undefined,
    callBack: () => receivedMessage(answer),
  };
}
