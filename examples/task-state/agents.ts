// Two agents with a typed task each. The analyst, who writes Python, reads a database through cursors, which cannot be kept.
import { DatabaseSync } from 'node:sqlite';
import { Agent } from 'statek';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';
import { code, exampleModels } from '../models.ts';

const database = new DatabaseSync(':memory:');
database.exec(`create table sales (town text, euros real);
insert into sales values ('Ghent', 120), ('Bruges', 80), ('Ghent', 60), ('Mons', 45)`);

/** Reads row by row. It belongs to this process: no other one could go on with it. */
class Cursor {
  readonly #rows: Iterator<object>;

  constructor(sql: string) {
    this.#rows = database.prepare(sql).iterate();
  }

  /** The next row, or null after the last. */
  next(): unknown {
    const row = this.#rows.next();
    return row.done === true ? null : { ...row.value };
  }
}

const byTown = 'select town, sum(euros) as euros from sales group by town order by town';
const models = exampleModels({
  analyst: scriptedModel([
    // No state.
    code('python', `cursor = query("${byTown}")`, 'exit([cursor.next().town, cursor.next().town])'),
    // Live: the second call goes on with the cursor of the first.
    code('python', `cursor = query("${byTown}")`, 'exit(cursor.next())'),
    code('python', 'exit(cursor.next())'),
    // Versioned: a variable that still holds the cursor at the end of the slice is refused. Then as the primer says.
    code('python', `cursor = query("${byTown}")`, 'first = cursor.next()'),
    code(
      'python',
      'def totals():',
      `    cursor = query("${byTown}")`,
      '    return {row.town: row.euros for row in iter(cursor.next, None)}',
      'sums = totals()',
      'exit(sums)',
    ),
    code('python', 'best = max(sums, key=sums.get)', 'exit(best)'),
    // In the fork.
    code('python', 'towns = len(sums)', 'exit(towns)'),
  ]),
  writer: scriptedModel([code('ts', 'const sums = `A page about ${input.topic}.`;', 'exit(sums)')]),
});

export const analyst = new Agent({
  role: 'analyst',
  language: 'python',
  // The primer: how to use what cannot be kept.
  systemPrompt: `You answer questions about the table sales (town, euros) with query(sql), which returns a cursor; cursor.next() is a row or None.
A cursor lives within one step: read what you need inside a function, and keep the rows, never the cursor.`,
  tools: { query: (sql: string) => new Cursor(sql) },
  metadata: { MODEL: 'analyst' },
  models,
});
export const answer = analyst.task({
  description: 'Answers a question about sales.',
  input: z.object({ question: z.string() }),
  output: z.unknown(),
});

export const writer = new Agent({
  role: 'writer',
  systemPrompt: 'You write short texts.',
  metadata: { MODEL: 'writer' },
  models,
});
export const brief = writer.task({
  description: 'Writes about a topic.',
  input: z.object({ topic: z.string() }),
  output: z.string(),
});
