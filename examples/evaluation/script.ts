// Models that answer as a small and a large one might: the small one overlooks negations unless its prompt names them.
import { scriptedModel, type ScriptedModel, type ScriptedReply, type ScriptStep } from 'statek/testing';
import { code } from '../models.ts';

type Language = 'typescript' | 'python';

/** Tokens are given, so that the figures do not depend on how long Statek's part of the prompt is. */
interface Replies {
  readonly prepare: ScriptStep;
  readonly naive: ScriptedReply;
  readonly careful: ScriptedReply;
}

const replies: Readonly<Record<Language, Replies>> = {
  typescript: {
    prepare: code(
      'ts',
      'const words = texts.map((text) => text.toLowerCase().match(/[a-z]+/g));',
      'print(words.length, "reviews,", words.flat().length, "words");',
    ),
    naive: {
      tokens: { input: 640, output: 45 },
      text: code(
        'ts',
        "const guesses = words.map((all) => ['good', 'loved', 'lovely'].some((one) => all.includes(one)));",
        'exit(guesses);',
      ),
    },
    careful: {
      tokens: { input: 650, output: 120 },
      text: code(
        'ts',
        "const praise = ['good', 'loved', 'lovely'];",
        "const blame = ['bad', 'dirty', 'rude'];",
        'const guesses = words.map((all) => {',
        "  const turned = all.filter((one) => ['not', 'never', 'nobody'].includes(one)).length % 2 === 1;",
        '  const liked = all.some((one) => praise.includes(one)) && !all.some((one) => blame.includes(one));',
        '  return liked !== turned;',
        '});',
        'exit(guesses);',
      ),
    },
  },
  python: {
    prepare: code(
      'python',
      'import re',
      'words = [re.findall("[a-z]+", text.lower()) for text in texts]',
      'print(len(words), "reviews,", sum(map(len, words)), "words")',
    ),
    naive: {
      tokens: { input: 630, output: 40 },
      text: code(
        'python',
        'guesses = [any(one in all_words for one in ("good", "loved", "lovely")) for all_words in words]',
        'exit(guesses)',
      ),
    },
    careful: {
      tokens: { input: 640, output: 105 },
      text: code(
        'python',
        'praise = {"good", "loved", "lovely"}',
        'blame = {"bad", "dirty", "rude"}',
        'def content(review):',
        '    turned = sum(one in ("not", "never", "nobody") for one in review) % 2 == 1',
        '    liked = bool(praise & set(review)) and not blame & set(review)',
        '    return liked != turned',
        'guesses = [content(review) for review in words]',
        'exit(guesses)',
      ),
    },
  },
};

/** They find their place by the conversation, as any model does: a fork begins in the middle of it. */
const model = (name: string, prepare: ScriptStep, classify: ScriptStep): ScriptedModel =>
  scriptedModel([prepare, classify], { name, by: 'turn' });

export function scriptsIn(language: Language): Readonly<Record<'small' | 'large', ScriptedModel>> {
  const { prepare, naive, careful } = replies[language];
  return {
    small: model('small', prepare, ({ messages }) => (JSON.stringify(messages).includes('negation') ? careful : naive)),
    large: model('large', prepare, () => careful),
  };
}
