// Settings come from code, the environment and a file, in this order, and say where they come from.
import { expect, test, vi } from 'vitest';
import { MemoryFiles } from '../files/text-files.ts';
import { readSettings, SettingsError, type SettingOptions } from './settings.ts';

const read = (options: SettingOptions, env: Record<string, string>, dotenv = ''): ReturnType<typeof readSettings> =>
  readSettings(options, { env, file: '.env', files: new MemoryFiles({ '.env': dotenv }) });

test('what is said first wins, and its origin is known', () => {
  const { values, origins, environment } = read(
    { chatStyle: 'DIRECT', limits: { turns: 7, tokens: 'unlimited' } },
    {
      STATEK_CHAT_STYLE: 'CONSOLE',
      STATEK_PROMPTS: 'prompts',
      STATEK_MAX_COST: '0.5',
      PATH: 'x',
      STATEK_TEST_REDIS: 'x',
    },
    [
      '# comment',
      'STATEK_PROMPTS=other',
      'export STATEK_EXAMPLES_STYLE="md_dialog"',
      'STATEK_WARMUPS=',
      'OPENAI_API_KEY=secret',
      'PATH=y',
    ].join('\n'),
  );
  expect(values).toMatchObject({
    chatStyle: 'DIRECT',
    prompts: 'prompts',
    examplesStyle: 'MD_DIALOG',
    warmups: undefined,
    defaultDifficulty: 'L',
    limits: { turns: 7, tokens: Number.POSITIVE_INFINITY, cost: 0.5, errorsInARow: 5 },
  });
  const sources = Object.fromEntries(origins.map(({ name, source }) => [name, source]));
  expect(sources).toMatchObject({
    chatStyle: 'code',
    prompts: 'environment',
    examplesStyle: '.env',
    warmups: 'default',
    'limits.turns': 'code',
    'limits.cost': 'environment',
    'limits.errors': 'default',
  });
  expect(origins.find(({ name }) => name === 'limits.errorsInARow')?.variable).toBe('STATEK_MAX_ERRORS_IN_A_ROW');
  expect(environment).toMatchObject({ OPENAI_API_KEY: 'secret', PATH: 'x' });
});

test('a file that is not there says nothing', () => {
  const settings = readSettings({}, { env: {}, file: 'missing', files: new MemoryFiles() });
  expect(settings.origins.every(({ source }) => source === 'default')).toBe(true);
});

test('variables of the server are known', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  read({}, { STATEK_SERVER_TOKEN: 'a-token-of-16-letters' }, 'STATEK_SERVER_HOSTS=app.example.com');
  expect(warn).not.toHaveBeenCalled();
});

test('variables that mean nothing are ignored, with one warning for each', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const env = { STATEK_CHATSTYLE: 'CONSOLE', STATEK_TEST_X: '1', STATEK_BENCH_LANGGRAPH: '1', STATEK_SEED: '1' };
  const { values } = read({}, env, 'STATEK_PROMPT=x\nSTATEK_ENTIRELY_ELSEWHERE=1');
  read({}, env, 'STATEK_PROMPT=x');
  expect(values).toMatchObject({ chatStyle: undefined, prompts: undefined });
  expect(warn.mock.calls.map(([text]) => String(text)).toSorted()).toEqual([
    'There is no setting STATEK_CHATSTYLE; it is ignored. Did you mean STATEK_CHAT_STYLE?',
    'There is no setting STATEK_ENTIRELY_ELSEWHERE (in .env); it is ignored.',
    'There is no setting STATEK_PROMPT (in .env); it is ignored. Did you mean STATEK_PROMPTS?',
  ]);
});

test.each<[SettingOptions, Record<string, string>, string, string]>([
  [{ chatStlye: 'X' } as SettingOptions, {}, '', 'There is no setting chatStlye. Did you mean chatStyle?'],
  [{ limits: { turn: 1 } } as SettingOptions, {}, '', 'There is no limit turn. Did you mean turns?'],
  [
    {},
    { STATEK_CHAT_STYLE: 'SHELL' },
    '',
    "STATEK_CHAT_STYLE is 'SHELL'; it must be one of CONSOLE, MARKDOWN, MD_DIALOG, DIRECT.",
  ],
  [
    {},
    {},
    'STATEK_MAX_TURNS=many',
    ".env: STATEK_MAX_TURNS is 'many'; it must be a whole number from 1 or 'unlimited'.",
  ],
  [{ limits: { turns: 0 } }, {}, '', "limits.turns is '0'; it must be"],
  [{ limits: { turns: 5 } }, { STATEK_MAX_TURNS: '-1' }, '', "STATEK_MAX_TURNS is '-1'"],
  [{}, { STATEK_XML_BOX_CONSOLE: '<X>' }, '', 'the name of a tag, such as CONSOLE'],
  [{}, { STATEK_LOG_LEVEL: 'loud' }, '', 'one of silent, error, warn, info, debug, trace'],
  [{}, { STATEK_MODEL_ATTEMPTS: '0' }, '', 'a whole number from 1 to 100'],
])('%j %j %j is refused', (options, env, dotenv, message) => {
  expect(() => read(options, env, dotenv)).toThrow(SettingsError);
  expect(() => read(options, env, dotenv)).toThrow(message);
});
