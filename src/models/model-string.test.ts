// Model strings: whatever is written is read back, and nothing is guessed.
import { assert, constantFrom, integer, property, record, string, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelStringError } from './errors.ts';
import { formatModelString, parseModelString, type ModelName, type ModelStringOptions } from './model-string.ts';

const providers = ['openai', 'anthropic', 'openrouter', 'ollama'];
const parse = (text: string, options: Partial<ModelStringOptions> = {}): unknown => {
  const { provider, model, parameters } = parseModelString(text, { providers, ...options });
  return [provider, model, parameters];
};

describe('the provider', () => {
  it.each([
    ['openai/gpt-5-mini', 'openai', 'gpt-5-mini'],
    ['openrouter/anthropic/claude-opus-5', 'openrouter', 'anthropic/claude-opus-5'],
    ['ollama/llama3:8b', 'ollama', 'llama3:8b'],
    ['OpenAI/gpt-5', 'openai', 'gpt-5'],
    ['  openai/gpt-5  ', 'openai', 'gpt-5'],
  ])('%s', (text, provider, model) => {
    expect(parse(text)).toEqual([provider, model, {}]);
  });

  it('is PROVIDER, if the first part is not that', () => {
    expect(parse('openai/gpt-5', { provider: 'openrouter' })).toEqual(['openrouter', 'openai/gpt-5', {}]);
    expect(parse('openrouter/openai/gpt-5', { provider: 'openrouter' })).toEqual(['openrouter', 'openai/gpt-5', {}]);
    expect(parse('gpt-5', { provider: 'openai', defaultProvider: 'ollama' })).toEqual(['openai', 'gpt-5', {}]);
  });

  it('is the default, if the first part names none', () => {
    expect(parse('llama3:8b', { defaultProvider: 'ollama' })).toEqual(['ollama', 'llama3:8b', {}]);
    expect(parse('meta/llama3', { defaultProvider: 'ollama' })).toEqual(['ollama', 'meta/llama3', {}]);
    expect(parse('openai', { defaultProvider: 'ollama' })).toEqual(['ollama', 'openai', {}]);
    expect(parse('openai/gpt-5', { defaultProvider: 'ollama' })).toEqual(['openai', 'gpt-5', {}]);
  });

  it('must be there', () => {
    expect(() => parse('meta/llama3')).toThrow(/Registered providers: openai, anthropic, openrouter, ollama/);
    expect(() => parse('gpt-5', { provider: 'opena' })).toThrow(/Unknown provider 'opena'.*Registered providers: /);
    expect(() => parse('openai/gpt-5', { defaultProvider: 'none' })).toThrow(/Unknown provider 'none'/);
  });
});

describe('parameters', () => {
  it.each([
    ['openai/gpt-5 rl=60', { rl: 60 }],
    ['openai/gpt-5/rl=60', { rl: 60 }],
    ['openai/gpt-5, rl = 60', { rl: 60 }],
    ['openai/gpt-5 temperature=0.5 rl=0', { rl: 0, temperature: 0.5 }],
    ['openai/gpt-5 rl=33.5', { rl: 33.5 }],
  ])('%s', (text, parameters) => {
    expect(parse(text)).toEqual(['openai', 'gpt-5', parameters]);
  });

  it.each([
    ['openai/gpt-5 rl=101', /rl=101; it must be a number from 0 to 100/],
    ['openai/gpt-5 rl=-1', /must be a number/],
    ['openai/gpt-5 rl=', /must be a number/],
    ['openai/gpt-5 rl=high', /must be a number/],
    ['openai/gpt-5 level=5', /Unknown parameter 'level' .*It takes rl, temperature/],
    ['openai/gpt-5 rl=5 rl=6', /sets 'rl' twice/],
    ['openai/gpt-5 toString=5', /Unknown parameter 'toString'/],
    ['openai/gpt 5', /is invalid: separate parameters/],
    ['openai/ rl=5', /has no model name/],
    ['', /has no model name/],
  ])('refuses %s', (text, message) => {
    expect(() => parse(text, { defaultProvider: 'openai' })).toThrow(message);
  });
});

const name = stringMatching(/^[A-Za-z0-9][A-Za-z0-9:._@-]{0,12}(\/[A-Za-z0-9][A-Za-z0-9:._@-]{0,12}){0,2}$/);
const parameters = record(
  { rl: integer({ min: 0, max: 100 }), temperature: integer({ min: 0, max: 20 }).map((tenths) => tenths / 10) },
  { requiredKeys: [] },
);

it('reads what it writes', () => {
  assert(
    property(constantFrom(...providers), name, parameters, (provider, model, given) => {
      const whole = { provider, model, parameters: given };
      expect(parseModelString(formatModelString(whole), { providers })).toEqual(whole);
    }),
  );
});

it('gives the whole name to PROVIDER, unless it begins with it', () => {
  assert(
    property(constantFrom(...providers), name, (provider, model) => {
      const [first = '', ...rest] = model.split('/');
      const expected = first.toLowerCase() === provider && rest.length > 0 ? rest.join('/') : model;
      expect(parse(model, { provider })).toEqual([provider, expected, {}]);
    }),
  );
});

it('refuses every other text with an error of its own', () => {
  const units = constantFrom(...'aZ0/:=, .rl\t'.split(''), 'rl=', 'openai/');
  assert(
    property(string({ unit: units }), (text) => {
      const read = readOrCode(text);
      if (read === 'MODEL_STRING') return;
      expect(read.model).toMatch(/^[^\s=,]+$/);
      expect(readOrCode(formatModelString(read))).toEqual(read);
    }),
    { numRuns: 2000 },
  );
});

function readOrCode(text: string): ModelName | 'MODEL_STRING' {
  try {
    return parseModelString(text, { providers, defaultProvider: 'ollama' });
  } catch (error) {
    if (error instanceof ModelStringError) return error.code;
    throw error;
  }
}
