// Bytes as text and back, without relying on anything guest code can replace.
import { byteClasses, stringCodeAt } from './primordials.js';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitOf = { __proto__: null };
for (let index = 0; index < 64; index++) digitOf[digits[index]] = index;

export function toBase64(bytes, length) {
  let text = '';
  for (let index = 0; index < length; index += 3) {
    const second = index + 1 < length ? bytes[index + 1] : 0;
    const third = index + 2 < length ? bytes[index + 2] : 0;
    const group = (bytes[index] << 16) | (second << 8) | third;
    text += digits[group >> 18] + digits[(group >> 12) & 63];
    text += index + 1 < length ? digits[(group >> 6) & 63] : '=';
    text += index + 2 < length ? digits[group & 63] : '=';
  }
  return text;
}

export function fromBase64(text) {
  let { length } = text;
  if (length > 0 && stringCodeAt(text, length - 1) === 61) length--;
  if (length > 0 && stringCodeAt(text, length - 1) === 61) length--;
  const bytes = new byteClasses.Uint8Array((length * 3) >> 2);
  let group = 0;
  let bits = 0;
  let position = 0;
  for (let index = 0; index < length; index++) {
    group = ((group << 6) | digitOf[text[index]]) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[position++] = (group >> bits) & 0xff;
    }
  }
  return bytes;
}
