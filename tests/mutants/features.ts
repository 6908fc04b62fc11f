// The lines of docs/features.md: what is promised, and the test that proves it.
import { readFileSync } from 'node:fs';

export interface FeatureRow {
  readonly what: string;
  /** `file › title of a test`, or why there is none. */
  readonly proof: string;
}

export function featureRows(): readonly FeatureRow[] {
  const text = readFileSync(new URL('../../docs/features.md', import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, what, proof] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? [];
    if (what === undefined || proof === undefined || what === 'what' || what === '---') return [];
    return [{ what, proof }];
  });
}
