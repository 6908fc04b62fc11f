import { afterEach, describe, expect, test, vi } from 'vitest';
import { InvalidOptionError } from '../../base/options.ts';
import { settingsOf } from './options.ts';

describe('options', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('what the URL says', () => {
    const { target, place } = settingsOf('postgres://ann:pa%40ss@db.example:6543/shop?sslmode=no-verify', {});
    expect(target).toMatchObject({ host: 'db.example', port: 6543, database: 'shop', user: 'ann', password: 'pa@ss' });
    expect(target.ssl).toEqual({ rejectUnauthorized: false });
    expect(place).toBe('postgres://ann@db.example:6543/shop (schema statek)');
  });

  test('what the environment says', () => {
    vi.stubEnv('PGHOST', 'elsewhere');
    vi.stubEnv('PGUSER', 'eve');
    expect(settingsOf({ database: 'shop' }, {}).target).toMatchObject({
      host: 'elsewhere',
      user: 'eve',
      database: 'shop',
    });
  });

  test('an option wins over the URL', () => {
    expect(settingsOf('postgres://db.example/shop?sslmode=verify-full', { ssl: false }).target.ssl).toBe(false);
  });

  test('a direct connection is used for listening only', () => {
    const settings = settingsOf('postgres://pooler.example/shop', {
      throughPooler: true,
      directConnection: 'postgres://server.example/shop',
    });
    expect(settings.target.host).toBe('pooler.example');
    expect(settings.listenTarget.host).toBe('server.example');
  });

  test('a parameter that nobody reads is refused', () => {
    expect(() => settingsOf('postgres://db.example/shop?schem=planner', {})).toThrow("no parameter 'schem'");
    const { schema } = settingsOf(
      'postgres://db.example/shop?schema=planner&sslmode=require&channel_binding=require',
      {},
    );
    expect(schema).toBe('planner');
    expect(() => settingsOf('postgres://db.example/shop#planner', {})).toThrow('?schema=planner');
  });

  test('a refused URL is not repeated, since it holds the password', () => {
    const refused = (): unknown => settingsOf('postgres://ann:s3cret@host:port/shop', {});
    expect(refused).toThrow(InvalidOptionError);
    expect(refused).not.toThrow(/s3cret/);
  });
});
