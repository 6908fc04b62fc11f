// Strings and values that engines tend to trip over: terminators, wildcards, escapes, path parts, broken text.

/** Every two of them are different keys, whatever an engine does with case, patterns, paths or encodings. */
export const awkwardStrings: readonly string[] = [
  ...['', ' ', '  ', '_', '__', ':', '::', '/', '//', '.', '..', '../..', './', '%', '%25', '%2e', '*', '**', '?'],
  ...['[', ']', '[a]', '\\', '\\\\', '\\0', '\0', '\0\0', 'a\0', 'a\0b', '\0a', '\x01', '\x7f', '\n', '\r\n', '\t'],
  ...['a', 'A', 'aa', 'aA', 'Aa', 'ß', 'ss', 'SS', 'i', 'I', 'ı', 'İ', 'é', 'e\u0301', 'ﬁ', 'fi', '\u03a9', '\u2126'],
  ...["'", "''", '"', '`', ';', '--', '$1', ':name', '{}', '()', '~', '^', '|', '&', '#', '@', '!', '=', '+', ','],
  ...['null', 'undefined', '0', '00', '-0', '1', '10', '2', '1e1', 'true', 'NaN', '__proto__', 'constructor', 'con'],
  ...['\ud800', '\udfff', '\udc00\ud800', 'a\ud800', '\ud800a', '\ud83d', '\ude00', '😀', '👩‍👩‍👧', '\ud83d \ude00'],
  ...[
    '\u0080',
    '\u07ff',
    '\u0800',
    '\ufeff',
    '\ufffd',
    '\uffff',
    '\u{10000}',
    '\u{10ffff}',
    '\u2028',
    '\u202e',
    '日本',
  ],
  'x'.repeat(1000),
];

/** Members that a careless copy would lose, take for its own or hang on a prototype. */
const awkwardObject: unknown = JSON.parse(
  `{"__proto__": {"polluted": true}, "constructor": 1, "toString": null, "toJSON": "text", "hasOwnProperty": [],
    "": 0, "0": "zero", "10": "ten", "2": "two", "a b": {}, "length": 3, "then": "not a promise", "$ref": "#/"}`,
);

/** JSON values of every kind. */
export const jsonValues: readonly unknown[] = [
  ...[null, true, false, '', [], {}, [[]], [{}], [null], { a: null }, [[], {}, [[{ a: [] }]]]],
  ...[0, 1, -1, 0.1, -0.1, 1 / 3, 1e21, 1e-7, 123456789012345680000, 9007199254740991, -9007199254740991],
  ...[9007199254740994, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -Number.MIN_VALUE, Number.EPSILON],
  ...[2.2250738585072014e-308, 4.35, 0.000001, 1e300, 100, 4294967296, 2 ** 53, 2 ** 64],
  ...awkwardStrings,
  Object.fromEntries(awkwardStrings.map((text, index) => [text, index])),
  awkwardObject,
  { deep: nested(150), list: Array.from({ length: 1000 }, (_, index) => index), text: 'é😀'.repeat(10_000) },
];

/** Arrays and objects within each other, `depth` levels of them. */
export function nested(depth: number): unknown {
  let value: unknown = depth % 2 === 0 ? [] : {};
  for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { down: value };
  return value;
}
