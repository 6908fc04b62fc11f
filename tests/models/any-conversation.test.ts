// Any conversation that passes the check is taken by every provider, and everything said in it arrives.
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/models/json.ts';
import type { AssistantPart, MediaPart, ModelMessage } from '../../src/models/message.ts';
import { modelsAt, testedProviders } from './providers.ts';
import { ModelServer, type ReceivedRequest } from './server/server.ts';
import { complaints } from './server/strict.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => server.reset());
afterAll(async () => server.close());

/** Texts that can be found again; some are empty. */
const text = oneof(
  { weight: 4, arbitrary: integer({ min: 1000, max: 9999 }).map((number) => `said ${number} "so" — 日本\n`) },
  { weight: 1, arbitrary: constantFrom('', ' \n') },
);
const media: Arbitrary<MediaPart> = constantFrom(
  { type: 'media', mediaType: 'image/png', data: 'aGVsbG8=' },
  { type: 'media', mediaType: 'image/jpeg', url: 'https://example.com/picture.jpg' },
  { type: 'media', mediaType: 'application/pdf', data: 'aGVsbG8=', filename: 'report.pdf' },
);
const picture = media.filter(({ mediaType }) => mediaType.startsWith('image/'));

const user: Arbitrary<ModelMessage[]> = oneof(
  text,
  array(
    oneof(
      text.map((t) => ({ type: 'text' as const, text: t })),
      media,
    ),
    { maxLength: 3 },
  ),
).map((content) => [{ role: 'user', content }]);
const note: Arbitrary<ModelMessage[]> = text.map((content) => [{ role: 'system', content }]);

const call = record({
  input: constantFrom<JsonValue>({}, { town: 'Ghent', more: [1, null, { a: true }] }),
  invalid: boolean(),
});
const result = record({
  output: oneof(text, constantFrom(5, null, { sky: 'grey' })),
  failed: boolean(),
  pictures: array(picture, { maxLength: 2 }),
});

/** What an assistant says, by whoever, and the results of its calls. */
const turn: Arbitrary<(provider: string) => ModelMessage[]> = tuple(
  record({
    own: boolean(),
    said: text,
    thought: option(text),
    shown: option(picture),
    first: integer({ min: 0, max: 1e6 }),
  }),
  array(tuple(call, result), { maxLength: 3 }),
).map(([{ own, said, thought, shown, first }, calls]) => (provider) => {
  // Who made an id takes it back; others may not.
  const id = (index: number): string => (own ? `call-${first + index}` : `call.${first + index}:x`);
  const content: AssistantPart[] = [
    ...(thought === null ? [] : [{ type: 'reasoning' as const, text: thought }]),
    { type: 'text', text: said },
    ...(shown === null || own ? [] : [shown]),
    ...calls.map(([{ input, invalid }], index): AssistantPart => {
      const part = { type: 'tool-call', id: id(index), name: 'look' } as const;
      return invalid ? { ...part, input: '{"broken', invalid: 'not JSON' } : { ...part, input };
    }),
  ];
  const message: ModelMessage = {
    role: 'assistant',
    content,
    ...(own ? { madeBy: { provider, model: 'some' } } : { madeBy: { provider: 'elsewhere', model: 'other' } }),
  };
  if (calls.length === 0) return [message];
  const results = calls.map(([, { output, failed, pictures }], index) => {
    return { type: 'tool-result' as const, id: id(index), name: 'look', output, failed, media: pictures };
  });
  return [message, { role: 'tool', content: results }];
});

const conversation = tuple(
  text,
  text,
  array(note, { maxLength: 2 }),
  array(oneof(user, note, turn), { maxLength: 6 }),
).map(([opening, closing, instructions, rest]) => (provider: string): ModelMessage[] => [
  ...instructions.flat(),
  { role: 'user', content: opening },
  ...rest.flatMap((part) => (typeof part === 'function' ? part(provider) : part)),
  { role: 'user', content: closing },
]);

/** What must arrive: everything but emptiness. */
function textsIn(messages: readonly ModelMessage[]): string[] {
  const texts = messages.flatMap(({ role, content }) => {
    if (typeof content === 'string') return [content];
    return content.flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return role === 'tool' && part.type === 'tool-result' && typeof part.output === 'string' ? [part.output] : [];
    });
  });
  return texts.filter((said) => said.trim() !== '');
}

const tools = [{ name: 'look', input: { type: 'object' } }];

describe.each(testedProviders)('$title', (provider) => {
  it('takes any conversation', async () => {
    const models = modelsAt(server, provider);
    await assert(
      asyncProperty(conversation, async (make) => {
        server.reset();
        server.say({ text: ['Yes'] });
        const messages = make(provider.model.split('/')[0] ?? '');
        await models.ask({ model: provider.model, messages, tools });
        const [received] = server.requests as [ReceivedRequest];
        expect(complaints(received)).toEqual([]);
        const body = JSON.stringify(received.body);
        for (const said of textsIn(messages)) expect(body).toContain(JSON.stringify(said).slice(1, -1));
      }),
      { numRuns: 60 },
    );
  });
});
