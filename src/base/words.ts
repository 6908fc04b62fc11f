// The words of a text, for the index and for queries. Scripts that write spaces are split by a pattern, which is fast; those that do
// not (Chinese, Japanese, Thai …) by Intl.Segmenter.

/** Longer words are cut: nobody types them, and keys are limited. */
const maxWordLength = 64;
/** Made when it is needed: it loads a dictionary. */
let segmenter: Intl.Segmenter | undefined;
const run = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Each word as it is compared, and where it stands. */
export function* wordsOf(text: string): Generator<{ readonly word: string; readonly at: number }, void, undefined> {
  for (const match of text.matchAll(run)) {
    const [found] = match;
    if (!unspaced.test(found)) {
      yield { word: folded(found), at: match.index };
      continue;
    }
    segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
    for (const { segment, index, isWordLike } of segmenter.segment(found))
      if (isWordLike === true) yield { word: folded(segment), at: match.index + index };
  }
}

/** How often each word occurs. */
export function countWords(text: string): { readonly counts: ReadonlyMap<string, number>; readonly total: number } {
  const counts = new Map<string, number>();
  let total = 0;
  for (const { word } of wordsOf(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    total++;
  }
  return { counts, total };
}

/** Without case, accents and compatibility forms, so that Café finds CAFE. */
function folded(word: string): string {
  // eslint-disable-next-line no-control-regex
  const plain = /^[\x00-\x7f]*$/.test(word)
    ? word.toLowerCase()
    : word
        .normalize('NFKD')
        .replaceAll(/[\u0300-\u036f]/g, '')
        .replaceAll('’', "'")
        .toLowerCase()
        .normalize('NFC');
  return plain.length > maxWordLength ? plain.slice(0, maxWordLength).toWellFormed() : plain;
}
