import { array, assert, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareVersions, meetsNeed, versionOption } from './code-version.ts';

describe('versions of code', () => {
  test('are numbers, compared one by one', () => {
    expect(versionOption('here', 7)).toBe('7');
    expect(versionOption('here', '2026.011.1')).toBe('2026.11.1');
    expect(compareVersions('2026.9.30', '2026.11.1')).toBeLessThan(0);
    expect(compareVersions('1.10', '1.9')).toBeGreaterThan(0);
    expect(compareVersions('1.2', '1.2.0')).toBe(0);
  });

  test.each(['v1', '1.0-beta', '', '1..2', -1, 1.5, '1.2.3.4.5.6.7', true])(
    'refuse %s, which has no order',
    (given) => {
      expect(() => versionOption('Statek.open', given)).toThrow(/Statek\.open: option 'version'/);
    },
  );

  test('have a total order', () => {
    const version = array(nat(30), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
    assert(
      property(version, version, version, (one, two, three) => {
        const ordered = [one, two, three].toSorted(compareVersions);
        expect(Math.sign(compareVersions(one, two))).toBe(0 - Math.sign(compareVersions(two, one)));
        expect(compareVersions(ordered[0] ?? '', ordered[2] ?? '')).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('meet a need, or do not', () => {
    expect(meetsNeed({}, undefined)).toBe(true);
    expect(meetsNeed({ needs: '2' }, undefined)).toBe(false);
    expect(meetsNeed({ needs: '2' }, '1.9')).toBe(false);
    expect(meetsNeed({ needs: '2' }, '3')).toBe(true);
    expect(meetsNeed({ needs: '2', pinned: true }, '3')).toBe(false);
    expect(meetsNeed({ needs: '2', pinned: true }, '2.0')).toBe(true);
  });
});
