// Local time and randomness belong to the program, not to the machine it runs on.
import { expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';

const look = '[new Date(Date.UTC(2026, 6, 1, 12)).getHours(), new Date(2026, 0, 1).toISOString(), Math.random()]';

it('takes time zone and seed from the application, and keeps them', async () => {
  const kit = await Statek.open({ store: 'memory:' });
  const warsaw = await kit.workspace('warsaw', { timeZone: 'Europe/Warsaw', seed: 7 });
  const utc = await kit.workspace('utc', { seed: 7 });
  const [hours, newYear, random] = (await warsaw.run(look)).value as [number, string, number];
  expect([hours, newYear]).toEqual([14, '2025-12-31T23:00:00.000Z']);
  expect((await utc.run(look)).value).toEqual([12, '2026-01-01T00:00:00.000Z', random]);
  const other = await kit.workspace('other');
  expect((await other.run('Math.random()')).value).not.toBe(random);

  await expect(kit.workspace('warsaw', { timeZone: 'UTC' })).rejects.toThrow(/has timeZone Europe\/Warsaw/);
  await expect(kit.workspace('warsaw', { seed: 8 })).rejects.toThrow(/has seed 7/);
  const again = await kit.workspace('warsaw', { timeZone: 'Europe/Warsaw', seed: 7 });
  expect((await again.run('new Date(Date.UTC(2026, 0, 1, 12)).getHours()')).value).toBe(13);
  await kit.close();
});

it('refuses zones that do not exist and seeds that are none', async () => {
  const kit = await Statek.open({ store: 'memory:' });
  await expect(kit.workspace('x', { timeZone: 'Mars/Olympus' })).rejects.toThrow(/no time zone 'Mars\/Olympus'/);
  await expect(kit.workspace('x', { seed: -1 })).rejects.toThrow(/'seed' must be a whole number/);
  await kit.close();
});
