// Documents that fit a query best: full-text search over the documents of a folder, ranked as BM25 does. Words are split as in the
// index of `kit.knowledge`, so that both find the same.
import { countWords, wordsOf } from '../../base/words.ts';
import type { Document } from './document.ts';

export interface FoundDocument {
  readonly document: Document;
  /** The line in which the first word of the query stands, counted from 1, and what is in it. */
  readonly line: number;
  readonly excerpt: string;
}

interface Counted {
  readonly text: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

const saturation = 1.2;
const lengthWeight = 0.75;
const maxExcerpt = 160;

export class DocumentSearch {
  /** By path; counted again when the text has changed. */
  readonly #counted = new Map<string, Counted>();

  /** The best of some documents, best first. */
  find(documents: readonly Document[], query: string, limit: number): readonly FoundDocument[] {
    const wanted = [...new Set([...wordsOf(query)].map(({ word }) => word))];
    const all = documents.map((document) => ({ document, ...this.#count(document) }));
    const meanLength = all.reduce((sum, { total }) => sum + total, 0) / Math.max(all.length, 1);
    const rarity = new Map(
      wanted.map((word) => {
        const having = all.filter(({ counts }) => counts.has(word)).length;
        return [word, Math.log(1 + (all.length - having + 0.5) / (having + 0.5))] as const;
      }),
    );
    const score = ({ counts, total }: Counted): number =>
      wanted.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        const length = 1 - lengthWeight + (lengthWeight * total) / Math.max(meanLength, 1);
        return sum + ((rarity.get(word) ?? 0) * count * (saturation + 1)) / (count + saturation * length);
      }, 0);
    return all
      .map((counted) => ({ ...counted, score: score(counted) }))
      .filter((found) => found.score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ document }) => ({ document, ...excerptOf(document.text, new Set(wanted)) }));
  }

  #count({ path, title, text }: Document): Counted {
    const known = this.#counted.get(path);
    const whole = `${title}\n${text}`;
    if (known?.text === whole) return known;
    const counted = { text: whole, ...countWords(whole) };
    this.#counted.set(path, counted);
    return counted;
  }
}

function excerptOf(text: string, wanted: ReadonlySet<string>): { readonly line: number; readonly excerpt: string } {
  let at = 0;
  for (const { word, at: place } of wordsOf(text))
    if (wanted.has(word)) {
      at = place;
      break;
    }
  const line = text.slice(0, at).split('\n').length;
  const excerpt = (text.split('\n')[line - 1] ?? '').trim();
  return { line, excerpt: excerpt.length > maxExcerpt ? `${excerpt.slice(0, maxExcerpt).toWellFormed()}…` : excerpt };
}
