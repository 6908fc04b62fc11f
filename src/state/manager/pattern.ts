// Which keys are meant: a pattern with wildcards, or a literal prefix. What a pattern begins with before its first wildcard
// bounds the range that is searched.
import { refuseUnknownOptions } from '../../base/options.ts';
import { StateArgumentError } from '../foundation/errors.ts';

/**
 * A pattern, in which `*` stands for any text, `?` for one character, `[a-z]` for one of these, `[!a-z]` for one of the others, and
 * `\` takes the character after it literally; or a prefix, which is taken literally.
 */
export type KeyPattern = string | { readonly prefix: string };

export interface KeyMatcher {
  /** What every matching key begins with. */
  readonly start: string;
  /** Identifies the pattern. */
  readonly name: string;
  matches(key: string): boolean;
}

type Token =
  | { readonly kind: 'many' }
  | { readonly kind: 'one' }
  | { readonly kind: 'literal'; readonly character: string }
  | {
      readonly kind: 'class';
      readonly isNegated: boolean;
      readonly ranges: readonly (readonly [low: number, high: number])[];
    };

export function keyMatcher(pattern: KeyPattern): KeyMatcher {
  if (typeof pattern !== 'string') {
    refuseUnknownOptions('A key pattern', pattern, { prefix: true });
    const { prefix } = pattern;
    if (typeof prefix !== 'string')
      throw new StateArgumentError(`The prefix of a key pattern must be a text, not ${String(prefix)}.`);
    return { start: prefix, name: JSON.stringify({ prefix }), matches: (key) => key.startsWith(prefix) };
  }
  const tokens = tokensOf(pattern);
  const wildcard = tokens.findIndex(({ kind }) => kind !== 'literal');
  const start = (wildcard < 0 ? tokens : tokens.slice(0, wildcard))
    .map((token) => (token.kind === 'literal' ? token.character : ''))
    .join('');
  return { start, name: JSON.stringify(pattern), matches: (key) => matches(tokens, Array.from(key)) };
}

function tokensOf(pattern: string): Token[] {
  const characters = Array.from(pattern);
  const tokens: Token[] = [];
  let position = 0;
  const refused = (why: string): StateArgumentError =>
    new StateArgumentError(
      `The key pattern '${pattern}' ${why}. Write \\ before a character that is meant literally.`,
      {
        pattern,
      },
    );
  const literal = (): string => {
    let character = characters[position++];
    if (character === '\\') character = characters[position++];
    if (character === undefined) throw refused('ends in the middle');
    return character;
  };
  const classToken = (): Token => {
    const isNegated = characters[position] === '!' || characters[position] === '^';
    if (isNegated) position++;
    const ranges: [number, number][] = [];
    // A closing bracket at the beginning is a member.
    while (characters[position] !== ']' || ranges.length === 0) {
      if (position >= characters.length) throw refused("has a '[' without a ']'");
      const low = literal();
      let high = low;
      if (characters[position] === '-' && characters[position + 1] !== ']' && position + 1 < characters.length) {
        position++;
        high = literal();
      }
      if (pointOf(high) < pointOf(low)) throw refused(`has a range that is empty: ${low}-${high}`);
      ranges.push([pointOf(low), pointOf(high)]);
    }
    position++;
    return { kind: 'class', isNegated, ranges };
  };
  while (position < characters.length) {
    const character = characters[position];
    if (character === '*') {
      position++;
      if (tokens.at(-1)?.kind !== 'many') tokens.push({ kind: 'many' });
    } else if (character === '?') {
      position++;
      tokens.push({ kind: 'one' });
    } else if (character === '[') {
      position++;
      tokens.push(classToken());
    } else tokens.push({ kind: 'literal', character: literal() });
  }
  return tokens;
}

/** In a time that grows with the product of both lengths at most: only the last `*` is ever tried again. */
function matches(tokens: readonly Token[], characters: readonly string[]): boolean {
  let token = 0;
  let position = 0;
  let star = -1;
  let starPosition = 0;
  while (position < characters.length) {
    const current = tokens[token];
    if (current?.kind === 'many') {
      star = token++;
      starPosition = position;
    } else if (current !== undefined && matchesOne(current, characters[position] as string)) {
      token++;
      position++;
    } else if (star >= 0) {
      token = star + 1;
      position = ++starPosition;
    } else return false;
  }
  while (tokens[token]?.kind === 'many') token++;
  return token === tokens.length;
}

function matchesOne(token: Token, character: string): boolean {
  switch (token.kind) {
    case 'literal':
      return token.character === character;
    case 'class': {
      const point = pointOf(character);
      return token.ranges.some(([low, high]) => low <= point && point <= high) !== token.isNegated;
    }
    default:
      return true;
  }
}

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
