// Random programs do the same in a cell as in plain JavaScript, and random text never does harm.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileCell } from '../../src/workspace/typescript/cell/cell.ts';
import { CellError } from '../../src/workspace/typescript/cell/errors.ts';
import { Guest, moduleNames } from './guest.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const number = fc.integer({ min: 0, max: 9 }).map(String);

/** Statements over four names, so that shadowing, constants and early uses happen all the time. */
const { statement } = fc.letrec<{ statement: string; expression: string; local: string; target: string }>((tie) => ({
  target: fc.oneof(
    { weight: 4, arbitrary: name },
    fc.tuple(name, name).map(([x, y]) => `[${x}, ...${y}]`),
    fc.tuple(name, tie('expression')).map(([x, e]) => `{ ${x} = ${e} }`),
    fc.tuple(name, name).map(([x, y]) => `{ k: ${x}, ...${y} }`),
  ),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    name,
    fc.tuple(tie('expression'), tie('expression')).map(([x, y]) => `(${x} + ${y})`),
    fc.tuple(name, tie('expression')).map(([x, e]) => `(${x} = ${e})`),
    name.map((x) => `${x}++`),
    name.map((x) => `({ ${x} })`),
    fc.tuple(name, tie('expression')).map(([x, e]) => `((${x}) => ${e})(1)`),
    fc.tuple(name, tie('local')).map(([x, s]) => `(function ${x}() { ${s} return 1 })()`),
    fc.tuple(tie('expression'), tie('expression')).map(([x, y]) => `[${x}, ...[${y}]]`),
    name.map((x) => `\`\${${x}}\``),
    name.map((x) => `(class { static s = ${x} }).s`),
  ),
  local: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    // The text of a function shows what it was compiled to.
    tie('expression').map((e) => `log.push(((v) => (typeof v === 'function' ? 'a function' : String(v)))(${e}));`),
    fc
      .tuple(fc.constantFrom('let', 'const', 'var'), name, tie('expression'))
      .map(([k, x, e]) => `{ ${k} ${x} = ${e}; log.push(${x}) }`),
    fc.tuple(name, tie('local')).map(([x, s]) => `for (const ${x} of [1, 2]) { ${s} }`),
    fc.tuple(name, tie('local')).map(([x, s]) => `try { ${s} } catch (${x}) { log.push(${x}.name) }`),
    fc.tuple(name, name).map(([x, y]) => `for (${x} of [${y}]) ;`),
  ),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('local'),
    fc
      .tuple(fc.constantFrom('let', 'const'), tie('target'), tie('expression'))
      .map(([k, t, e]) => `${k} ${t} = ${t.startsWith('[') ? `[${e}]` : t.startsWith('{') ? `{ k: ${e} }` : e}`),
    name.map((x) => `let ${x}`),
    fc.tuple(name, tie('expression')).map(([x, e]) => `var ${x} = ${e}`),
    fc.tuple(name, tie('local')).map(([x, s]) => `function ${x}() { ${s} }`),
    fc.tuple(name, tie('expression')).map(([x, e]) => `class ${x} { static v = ${e} }`),
    tie('expression').map((e) => `;${e}`),
  ),
}));

type Program = (log: unknown[]) => Promise<void>;
const AsyncFunction = (async () => {}).constructor as new (parameter: string, body: string) => Program;

async function inNode(program: string): Promise<{ log: string; error: string | undefined }> {
  const log: unknown[] = [];
  try {
    await new AsyncFunction('log', `'use strict';\n${program}`)(log);
    return { log: log.map(String).join(), error: undefined };
  } catch (error) {
    return { log: log.map(String).join(), error: (error as Error).name };
  }
}

// Of a constant that is assigned before its declaration, the engine says that it is constant, and Node that it is too early.
function withoutOrder({ log, error }: { log: string; error: string | undefined }): unknown {
  return { log: log.replaceAll('TypeError', 'ReferenceError'), error: error?.replace('TypeError', 'ReferenceError') };
}

/** Why a program is refused; undefined if it is not. */
function refusal(program: string): string | undefined {
  try {
    compileCell(program, { name: 'step', modules: moduleNames });
    return undefined;
  } catch (error) {
    if (error instanceof CellError) return error.reason;
    throw error;
  }
}

it('random programs behave as in plain JavaScript', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), async (statements) => {
      const program = statements.join('\n');
      const plain = await inNode(program);
      using guest = await Guest.create();
      const reason = refusal(program);
      // A function and a variable of one name are refused in modules and by TypeScript, but not inside a function.
      if (reason?.endsWith('has already been declared.')) return;
      expect(reason === undefined).toBe(plain.error !== 'SyntaxError');
      if (reason !== undefined) return;
      const outcome = await guest.run(`${program}\n`);
      const log = await guest.value('log.map(String).join()');
      const found = { log: JSON.parse(log) as string, error: outcome.error?.replace(/:.*/s, '') };
      expect(withoutOrder(found)).toEqual(withoutOrder(plain));
      compared++;
    }),
    {
      numRuns: Number(process.env['FUZZ_RUNS'] ?? 100),
      // A constant that a static field assigns before its declaration is too early, not constant.
      examples: [[['class a { static v = (a = (c = 0)) }', 'const c = 0']]],
    },
  );
  expect(compared).toBeGreaterThan(25);
});

it('random text is compiled or refused, and what is compiled the engine can read', async () => {
  using guest = await Guest.create();
  const word = fc.constantFrom(
    ...'const let var function class enum interface type x y => ( ) { } [ ] < > ; , . : ? ! = + - / * ` ${ } " \' \\ # @ 1 0x as satisfies async await of in new import export default from declare abstract private static return \n \r\n \u2028 😀 \0 // /* */ <!-- --> ... ?. ?? ** readonly this super yield namespace'.split(
      ' ',
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
        fc.string({ unit: 'grapheme-ascii', maxLength: 60 }),
      ),
      async (source) => {
        if (refusal(source) !== undefined) return;
        const { code } = compileCell(source, { name: 'step', modules: moduleNames });
        expect(await guest.evaluate(`async () => {${code}\n}`, 'step')).toHaveProperty('value');
      },
    ),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? 100) * 8 },
  );
});
