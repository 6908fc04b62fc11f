// Calculates the cost of a turn from a price table, at the price of the model that answered.
import { ModelSettingsError } from '../errors.ts';
import { priceList } from './price-list.ts';
import type { ModelTokens } from '../request.ts';

/** US dollars per million tokens. */
interface Price {
  readonly from: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
}

/** Prices as CSV; `where` names them in errors. */
export interface PriceText {
  readonly text: string;
  readonly where: string;
}

const columns = ['model', 'from', 'input', 'output', 'cached', 'cache_write'] as const;
type Column = (typeof columns)[number];

export class Prices {
  readonly #table: ReadonlyMap<string, readonly Price[]>;

  /** The built-in prices, overridden per model by CSV texts; the last one wins. */
  constructor(...given: readonly PriceText[]) {
    const texts = [{ text: priceList, where: 'the built-in prices' }, ...given];
    this.#table = new Map(texts.flatMap(({ text, where }) => [...readPrices(text, where)]));
  }

  /** In US dollars; undefined if the model is not in the table. */
  costOf(provider: string, model: string, tokens: ModelTokens): number | undefined {
    const lines = this.#lines(provider, model);
    const price = lines?.findLast(({ from }) => tokens.input >= from);
    if (price === undefined) return undefined;
    const plain = Math.max(0, tokens.input - tokens.cached - tokens.cacheWrite);
    const millions =
      plain * price.input +
      tokens.cached * price.cached +
      tokens.cacheWrite * price.cacheWrite +
      tokens.output * price.output;
    return millions / 1_000_000;
  }

  /** A dated model has the price of the undated one; a gateway's `maker/model` does not have the maker's price. */
  #lines(provider: string, model: string): readonly Price[] | undefined {
    const name = `${provider}/${model}`.toLowerCase();
    return this.#table.get(name) ?? this.#table.get(name.replace(/[-@](\d{8}|\d{4}-\d\d-\d\d|latest)$/, ''));
  }
}

function readPrices(text: string, where: string): Map<string, Price[]> {
  const rows = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ line: index + 1, cells: cellsOf(line) }));
  const [header, ...body] = rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const names = header?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const missing = (['model', 'input', 'output'] as const).filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !columns.includes(name as Column));
  if (missing.length > 0 || unknown.length > 0) {
    throw new ModelSettingsError(
      `${where}: the first line must list the columns: model, input and output are required, out of ${columns.join(', ')}.`,
      { where, missing, unknown },
    );
  }
  const table = new Map<string, Price[]>();
  for (const { line, cells } of body) {
    const cell = (name: Column): string => cells[names.indexOf(name)] ?? '';
    const model = cell('model').toLowerCase();
    if (!/^[^/\s]+\/\S+$/.test(model)) {
      throw new ModelSettingsError(`${where}, line ${line}: '${model}' is not of the form provider/model.`, {
        where,
        line,
      });
    }
    const number = (name: Column, fallback?: number): number => priceIn(cell(name), name, fallback, where, line);
    const input = number('input');
    const price: Price = {
      from: number('from', 0),
      input,
      output: number('output'),
      cached: number('cached', input),
      cacheWrite: number('cache_write', input),
    };
    table.set(
      model,
      [...(table.get(model) ?? []), price].toSorted((a, b) => a.from - b.from),
    );
  }
  return table;
}

function priceIn(text: string, name: string, fallback: number | undefined, where: string, line: number): number {
  if (text === '' && fallback !== undefined) return fallback;
  if (!/^\d+(\.\d+)?$/.test(text)) {
    throw new ModelSettingsError(`${where}, line ${line}: ${name} is '${text}'; it must be a number such as 0.25.`, {
      where,
      line,
      name,
      value: text,
    });
  }
  return Number(text);
}

/** Cells may be quoted, as spreadsheets write them. */
function cellsOf(line: string): string[] {
  if (/^\s*(#|$)/.test(line)) return [];
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
    (quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim(),
  );
}
