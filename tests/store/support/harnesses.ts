// How the conformance suite opens stores of each engine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../src/base/clock.ts';
import type { StoreHarness } from '../../../src/store/conformance/harness.ts';
import { openStore } from '../../../src/store/open.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { keepCompiledModules } from './compiled.ts';

keepCompiledModules();

// Far from 0, so that an engine which forgets to use the clock it was given is noticed.
const start = Date.UTC(2100, 0, 1);

let places = 0;

export const memoryHarness: StoreHarness = {
  async createPlace() {
    const clock = new ManualClock(start);
    const location = `memory:conformance ${++places}`;
    return {
      clockStandsStill: true,
      open: () => openStore(location, { clock }),
      advance: (milliseconds) => clock.advance(milliseconds),
      dispose: () => undefined,
    };
  },
};

export const sqliteHarness: StoreHarness = {
  async createPlace() {
    const clock = new ManualClock(start);
    const folder = await mkdtemp(join(tmpdir(), 'statek-conformance-'));
    return {
      clockStandsStill: true,
      open: () => openStore(folder, { clock, sqlite: { durability: 'relaxed' } }),
      advance: (milliseconds) => clock.advance(milliseconds),
      dispose: () => rm(folder, { recursive: true }),
    };
  },
};

/** Undefined, after one loud line, where there is no PostgreSQL. */
export async function postgresHarness(): Promise<StoreHarness | undefined> {
  const server = await postgresForTests();
  if (server === undefined) return undefined;
  return {
    async createPlace() {
      const { schema, drop } = await server.freshSchema();
      let offset = 0;
      return {
        clockStandsStill: false,
        open: () =>
          openPostgres(server.url, {
            schema,
            poolSize: 4,
            durability: 'relaxed',
            allowUnsafeServer: true,
            clockOffsetMilliseconds: () => offset,
          }),
        advance: (milliseconds) => void (offset += milliseconds),
        dispose: drop,
      };
    },
  };
}
