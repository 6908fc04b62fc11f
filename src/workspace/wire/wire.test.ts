// Messages have a type of their own; what the compiler refuses here is refused when it runs, too.
import { expect, it } from 'vitest';
import type { StoredMessage } from '../large-texts.ts';
import { decodeWire } from './decode.ts';
import { encodeWire } from './encode.ts';
import { WireDamagedError } from './errors.ts';
import { trueMessage, undefinedMessage, type WireMessage } from './wire.ts';

const given = { maxBytes: 1000, handleFor: () => undefined };
const taken = { maxBytes: 1000, handle: () => undefined, callback: () => undefined };

it('takes only messages for messages', () => {
  expect(decodeWire(encodeWire('Hello', given), taken)).toBe('Hello');
  // @ts-expect-error -- a text is not a message
  expect(() => decodeWire('Hello', taken)).toThrow(WireDamagedError);
  const stored = '@hash:9000' as StoredMessage;
  // @ts-expect-error -- what stands for a large message is not the message
  expect(() => decodeWire(stored, taken)).toThrow(WireDamagedError);
  // @ts-expect-error -- nor can a text be kept as one
  const kept: WireMessage = '[true]';
  expect(kept).toBe(trueMessage);
});

it('writes the messages that have names as they are encoded', () => {
  expect(undefinedMessage).toBe(encodeWire(undefined, given));
  expect(trueMessage).toBe(encodeWire(true, given));
});
