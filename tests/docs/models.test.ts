// The tables of the page on models have every option, setting and provider, with the defaults the code has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Models } from '../../src/index.ts';
import { defaultReplyLimits, defaultRetry } from '../../src/models.ts';
import { root } from './support.ts';

const page = readFileSync(join(root, 'docs/models.md'), 'utf8');

function rowsAfter(header: string): string[][] {
  const [, table = ''] = page.split(`| ${header} |`);
  const end = table.indexOf('\n\n');
  const lines = table.slice(0, end).split('\n').slice(2);
  return lines.map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
}

it.each([
  ['`retry`', defaultRetry],
  ['`limits`', defaultReplyLimits],
])('%s', (header, defaults) => {
  const rows = rowsAfter(header).map(([, name = '', number = '']) => [name, Number(number.replaceAll(',', ''))]);
  expect(Object.fromEntries(rows)).toEqual(defaults);
});

it('lists the providers', () => {
  expect(rowsAfter('provider | speaks').map(([, name]) => name)).toEqual(new Models({ env: {} }).providers);
});

it('resolves model strings as the table says', () => {
  for (const [, text = '', provider = '', defaultProvider = '', ...expected] of rowsAfter('string | PROVIDER')) {
    const models = new Models({ env: defaultProvider === '' ? {} : { STATEK_DEFAULT_PROVIDER: defaultProvider } });
    const name = models.resolve(text, provider === '' ? undefined : provider);
    expect([name.provider, name.model]).toEqual(expected.slice(0, 2));
  }
});

it('lists the settings that a wrong one is compared with', () => {
  const listed = rowsAfter('variable').flatMap(([, name = '']) => (name.startsWith('STATEK_MODEL_') ? [name] : []));
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  expect(() => new Models({ env: { STATEK_MODEL_X: '' } })).not.toThrow();
  expect(warn.mock.lastCall?.[1]).toMatchObject({ detail: `There are ${listed.join(', ')}.` });
});
