// The lines of docs/features.md and docs/promises.md: what is promised, and the test that proves it.
import { readFileSync } from 'node:fs';

export interface FeatureRow {
  readonly what: string;
  /** `file › title of a test`, or why there is none. */
  readonly proof: string;
}

const headings = new Set(['what', 'what is promised', '---']);

export function featureRows(page: 'features' | 'promises' = 'features'): readonly FeatureRow[] {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, what, proof] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
    if (what === undefined || proof === undefined || headings.has(what)) return [];
    return [{ what, proof }];
  });
}
