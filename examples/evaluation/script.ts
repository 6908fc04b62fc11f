// Models that answer as a small and a large one might: the small one overlooks negations unless its prompt names them.
import { scriptedModel, type ScriptedModel, type ScriptedReply, type ScriptStep } from 'statek/testing';
import { code } from '../models.ts';

const prepare: ScriptStep = code(
  'ts',
  'const words = texts.map((text) => text.toLowerCase().match(/[a-z]+/g));',
  'print(words.length, "reviews,", words.flat().length, "words");',
);
const naive = reply(
  { input: 640, output: 45 },
  "const guesses = words.map((all) => ['good', 'loved', 'lovely'].some((one) => all.includes(one)));",
  'exit(guesses);',
);
const careful = reply(
  { input: 650, output: 120 },
  "const praise = ['good', 'loved', 'lovely'];",
  "const blame = ['bad', 'dirty', 'rude'];",
  'const guesses = words.map((all) => {',
  "  const turned = all.filter((one) => ['not', 'never', 'nobody'].includes(one)).length % 2 === 1;",
  '  const liked = all.some((one) => praise.includes(one)) && !all.some((one) => blame.includes(one));',
  '  return liked !== turned;',
  '});',
  'exit(guesses);',
);

/** Tokens are given, so that the figures do not depend on how long Statek's part of the prompt is. */
function reply(tokens: { readonly input: number; readonly output: number }, ...lines: string[]): ScriptedReply {
  return { text: code('ts', ...lines), tokens };
}

/** They find their place by the conversation, as any model does: a fork begins in the middle of it. */
const model = (name: string, classify: ScriptStep): ScriptedModel =>
  scriptedModel([prepare, classify], { name, by: 'turn' });

export const scripts = {
  small: model('small', ({ messages }) => (JSON.stringify(messages).includes('negation') ? careful : naive)),
  large: model('large', () => careful),
};
