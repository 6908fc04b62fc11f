// Measures search over the texts of a knowledge base: indexing and queries, beside SQLite's own full-text index on the same texts.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { KnowledgeStateManager } from '../../src/state.ts';
import { milliseconds, percentile, progress, round, type Measurement } from '../support/measurement.ts';

const wordsPerDocument = 100;
const vocabulary = 50_000;

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const documents = quick ? 5000 : 100_000;
  const folder = mkdtempSync(join(tmpdir(), 'statek-bench-'));
  const knowledge = new KnowledgeStateManager({ store: join(folder, 'store') });
  try {
    progress(`indexing ${documents} documents`);
    const indexing = await milliseconds(() =>
      knowledge.index('source', texts(documents), undefined, {
        knowledgeBase: 'base',
        total: documents,
        concurrency: 256,
      }),
    );
    const unchanged = await milliseconds(() =>
      knowledge.index('source', texts(documents), undefined, { knowledgeBase: 'base', total: documents }),
    );
    progress('searching');
    const random = randomFrom(7);
    const queries = Array.from({ length: 200 }, () => Array.from({ length: 3 }, () => word(rank(random))).join(' '));
    const samples: number[] = [];
    for (const query of queries) samples.push(await milliseconds(() => knowledge.search('base', query)));
    const frequent = await milliseconds(() => knowledge.search('base', `${word(0)} ${word(1)} ${word(2)}`));
    progress('the same with FTS5');
    const other = await fullTextIndex(folder, documents, queries);
    progress('');
    return [
      { figure: 'documents', value: documents, unit: '', what: `documents of ${wordsPerDocument} words` },
      {
        figure: 'indexing_per_second',
        value: round((documents / indexing) * 1000),
        unit: '/s',
        what: 'documents indexed',
      },
      {
        figure: 'unchanged_per_second',
        value: round((documents / unchanged) * 1000),
        unit: '/s',
        what: 'unchanged documents skipped',
      },
      {
        figure: 'search_p50',
        value: round(percentile(samples, 0.5)),
        unit: 'ms',
        what: 'a query of three words, median',
      },
      {
        figure: 'search_p95',
        value: round(percentile(samples, 0.95)),
        unit: 'ms',
        what: 'a query of three words, 95 %',
      },
      {
        figure: 'search_frequent',
        value: round(frequent),
        unit: 'ms',
        what: 'a query of the three most frequent words',
      },
      {
        figure: 'megabytes',
        value: round(sizeOf(join(folder, 'store')) / 2 ** 20),
        unit: 'MiB',
        what: 'the store, with texts, index and change log',
      },
      {
        figure: 'fts5_indexing_per_second',
        value: round((documents / other.indexing) * 1000),
        unit: '/s',
        what: 'FTS5: documents indexed, 256 in a transaction',
      },
      {
        figure: 'fts5_search_p50',
        value: round(percentile(other.samples, 0.5)),
        unit: 'ms',
        what: 'FTS5: a query of three words, median',
      },
      {
        figure: 'fts5_search_p95',
        value: round(percentile(other.samples, 0.95)),
        unit: 'ms',
        what: 'FTS5: a query of three words, 95 %',
      },
    ];
  } finally {
    await knowledge.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fullTextIndex(
  folder: string,
  documents: number,
  queries: readonly string[],
): Promise<{ readonly indexing: number; readonly samples: readonly number[] }> {
  const database = new DatabaseSync(join(folder, 'fts5.db'));
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec(
      "CREATE VIRTUAL TABLE texts USING fts5 (id UNINDEXED, text, tokenize = 'unicode61 remove_diacritics 2')",
    );
    const insert = database.prepare('INSERT INTO texts (id, text) VALUES (?, ?)');
    const indexing = await milliseconds(() => {
      let count = 0;
      database.exec('BEGIN');
      for (const { id, content } of texts(documents)) {
        insert.run(id, content);
        if (++count % 256 === 0) database.exec('COMMIT; BEGIN');
      }
      database.exec('COMMIT');
    });
    const search = database.prepare(
      "SELECT id, snippet(texts, 1, '', '', '…', 20) FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10",
    );
    const samples: number[] = [];
    for (const query of queries) samples.push(await milliseconds(() => search.all(query.replaceAll(' ', ' OR '))));
    return { indexing, samples };
  } finally {
    database.close();
  }
}

/** Words are as frequent as in real texts: the second half as frequent as the first, and so on. */
function* texts(count: number): Generator<{ readonly id: string; readonly content: string }, void, undefined> {
  const random = randomFrom(1);
  for (let number = 0; number < count; number++) {
    const words = Array.from({ length: wordsPerDocument }, () => word(rank(random)));
    yield { id: `document-${number}`, content: words.join(' ') };
  }
}

function rank(random: () => number): number {
  return Math.min(vocabulary - 1, Math.floor(vocabulary ** random()) - 1);
}

function word(number: number): string {
  return `w${number.toString(36)}`;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((total, name) => total + statSync(join(folder, name)).size, 0);
}
