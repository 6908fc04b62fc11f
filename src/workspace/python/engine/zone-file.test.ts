// Time zones as files: what is in them is what the host knows.
import { expect, it } from 'vitest';
import { zoneFile, zoneNames } from './zone-file.ts';

it('knows every zone it names', () => {
  expect(zoneNames()).toContain('Europe/Warsaw');
  expect(zoneNames()).toContain('UTC');
});

it('has no file for what is no zone', () => {
  for (const name of ['', 'Nowhere/There', '../etc/passwd', 'Europe/Warsaw\0', 'x'.repeat(100)])
    expect(zoneFile(name)).toBeUndefined();
});

it('tells each change, its offset, and whether it is summer', () => {
  const file = Buffer.from(zoneFile('Europe/Warsaw') ?? []);
  expect(file.toString('latin1', 0, 5)).toBe('TZif2');
  const second = 44 + 7;
  const changes = file.readUInt32BE(second + 32);
  const types = second + 44 + changes * 8;
  const at = (moment: number): { offset: number; isSummer: boolean } => {
    let type = 0;
    for (let index = 0; index < changes; index++)
      if (Number(file.readBigInt64BE(second + 44 + index * 8)) <= moment) type = file.readUInt8(types + index);
    const place = types + changes + type * 6;
    return { offset: file.readInt32BE(place), isSummer: file.readUInt8(place + 4) === 1 };
  };
  expect(at(Date.UTC(2026, 0, 1) / 1000)).toEqual({ offset: 3600, isSummer: false });
  expect(at(Date.UTC(2026, 2, 29, 0, 59, 59) / 1000)).toEqual({ offset: 3600, isSummer: false });
  expect(at(Date.UTC(2026, 2, 29, 1) / 1000)).toEqual({ offset: 7200, isSummer: true });
  expect(at(Date.UTC(2026, 9, 25, 1) / 1000)).toEqual({ offset: 3600, isSummer: false });
});
