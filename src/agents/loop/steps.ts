// A step that has ended, as an item of the conversation.
import { parseExpression } from '@babel/parser';
import type { Node } from '@babel/types';
import type { EndedStep } from '../../jobs/door.ts';
import type { JsonValue } from '../../models/door.ts';
import { isSameName, render } from '../../workspace/door.ts';
import type { StepFault, StepItem } from '../chat/item.ts';
import { movedFrame } from '../chat/prose.ts';
import type { Language } from '../prompts/metadata.ts';
import type { TypeIssue } from '../types/checker.ts';
import { inputFrom } from '../tools/parameters.ts';
import { nameInCode, type KnownTool } from '../tools/toolbox.ts';
import type { WarmupBlock } from '../warmup.ts';
import { calledPythonTool, type CalledTool } from './called-python.ts';
import type { Todo } from './state.ts';

export function stepItem(
  step: EndedStep,
  doing: Todo | null,
  language: Language,
  tools: readonly KnownTool[] = [],
): Omit<StepItem, 'number' | 'time'> {
  const { number, status, console, error, value, shown, commit } = step;
  const isTool = doing?.kind === 'tool' || (doing?.kind === 'warmup' && doing.block.asTool === true);
  // What was printed says enough; a value is shown where nothing was, and as the result of a tool.
  const hasValue = value !== undefined && shown !== '' && (isTool || console.length === 0);
  const call =
    doing?.kind === 'tool' ? { id: doing.id, name: doing.name } : doing?.kind === 'code' ? doing.call : undefined;
  return {
    kind: 'step',
    step: number,
    status,
    console,
    ...(hasValue ? { value: shown ?? render(value, { language }) } : {}),
    ...(error === undefined ? {} : { error: faultOf(error, isTool, doing?.kind === 'code' ? (doing.lead ?? 0) : 0) }),
    ...(call === undefined ? {} : { call }),
    ...(doing?.kind === 'warmup' ? { warmup: warmupOf(doing, language, tools) } : {}),
    ...(doing?.kind === 'setup' ? { warmup: { source: doing.source, hidden: true as const } } : {}),
    ...(commit === undefined ? {} : { commit }),
  };
}

/** Code that was not run, because its types are wrong. */
export function uncheckedItem(
  issues: readonly TypeIssue[],
  { call, lead = 0 }: Extract<Todo, { kind: 'code' }>,
): Omit<StepItem, 'number' | 'time'> {
  // Prose that became comments stands before the author's own code.
  const [first, ...more] = issues.map((issue) => ({ ...issue, line: issue.line - lead }));
  const text = ({ code, message }: TypeIssue): string => (code === 0 ? message : `TS${code}: ${message}`);
  const others = more.map((issue) => `\nline ${issue.line}, column ${issue.column}: ${text(issue)}`).join('');
  return {
    kind: 'step',
    step: 0,
    status: 'failed',
    console: [],
    error: {
      name: 'TypeCheckError',
      message: `${first === undefined ? '' : text(first)}${others}\nNothing of this code was run.`,
      ...(first === undefined ? {} : { line: first.line, column: first.column }),
    },
    ...(call === undefined ? {} : { call }),
  };
}

/** The place of an error is in the author's code; a tool call is not the model's code. */
function faultOf(
  { name, message, line, column, frame }: NonNullable<EndedStep['error']>,
  isTool: boolean,
  lead: number,
): StepFault {
  return {
    name,
    message,
    ...(line === undefined || isTool ? {} : { line: line - lead }),
    ...(column === undefined || isTool ? {} : { column }),
    ...(frame === undefined || isTool ? {} : { frame: movedFrame(frame, lead) }),
  };
}

function warmupOf(
  { block }: Extract<Todo, { kind: 'warmup' }>,
  language: Language,
  tools: readonly KnownTool[],
): NonNullable<StepItem['warmup']> {
  const { source, hidden, asTool } = block;
  const called = asTool === true ? calledIn(source, language) : undefined;
  const tool = called && { name: nameInCode(called.name, language), input: inputOf(called, tools) };
  return { source, ...(hidden === true ? { hidden } : {}), ...(tool === undefined ? {} : { tool }) };
}

function calledIn(source: string, language: Language): CalledTool | undefined {
  return language === 'python' ? calledPythonTool(source) : calledTool(source);
}

/** The code of a warmup block. One that is shown as a tool call has the result of the call as its value, as a tool call has. */
export function warmupSource({ source, asTool }: WarmupBlock, language: Language): string {
  const variable = asTool === true ? calledIn(source, language)?.variable : undefined;
  return variable === undefined ? source : `${source}\n${variable}`;
}

/** The input by the names of the tool's schema, as its provider would have given it. */
function inputOf({ name, positional, named }: CalledTool, tools: readonly KnownTool[]): JsonValue {
  const known = tools.find((one) => one.name === name) ?? tools.find((one) => isSameName(one.name, name));
  try {
    if (known?.input !== undefined) return inputFrom(known.input.json, positional, named) as JsonValue;
  } catch {
    // It is shown as it was written.
  }
  const [only] = positional;
  const isObject = positional.length === 1 && typeof only === 'object' && only !== null && !Array.isArray(only);
  if (positional.length === 0) return named ?? {};
  return isObject && named === undefined ? only : { arguments: [...positional], ...named };
}

/** The tool call that a piece of code is: `const x = await find({ title: 'a' })`. */
function calledTool(source: string): CalledTool | undefined {
  const [, declared, assigned, code = ''] =
    /^\s*(?:(?:const|let|var)\s+([\w$]+)\s*=\s*)?(?:([\w$]+)\s*=\s*)?(?:await\s+)?([\s\S]*?);?\s*$/.exec(source) ?? [];
  try {
    const call = parseExpression(code, { plugins: ['typescript'] });
    if (call.type !== 'CallExpression' || call.callee.type !== 'Identifier') return undefined;
    const variable = declared ?? assigned;
    return {
      name: call.callee.name,
      positional: call.arguments.map(dataOf),
      ...(variable === undefined ? {} : { variable }),
    };
  } catch {
    return undefined;
  }
}

/** Literals as they are; anything else by its name, as a model would give a variable to a tool. */
function dataOf(node: Node | null): JsonValue {
  if (node === null) throw notData();
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return node.value;
    case 'NullLiteral':
      return null;
    case 'ArrayExpression':
      return node.elements.map(dataOf);
    case 'ObjectExpression':
      return Object.fromEntries(
        node.properties.map((property) => {
          if (property.type !== 'ObjectProperty') throw notData();
          const { key, value } = property;
          const name = key.type === 'Identifier' ? key.name : 'value' in key ? String(key.value) : '';
          return [name, dataOf(value)];
        }),
      );
    default:
      return node.type === 'Identifier' ? node.name : '…';
  }
}

/** Code with spreads, methods or holes in it is shown as code. */
function notData(): TypeError {
  return new TypeError('This code is more than data.');
}
