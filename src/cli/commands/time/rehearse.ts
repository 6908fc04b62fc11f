// Does something on a copy of the store that is thrown away: what it reports is what it would do, and the store is not changed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Statek } from '../../../kit/statek.ts';
import type { Session } from '../../session.ts';
import { useStore } from '../store/open-store.ts';

export async function rehearse<Result>(session: Session, act: (kit: Statek) => Promise<Result>): Promise<Result> {
  const [{ copyStore }, { openSqlite }, { Statek: Kit }] = await Promise.all([
    import('../../../store/backup/copy-store.ts'),
    import('../../../store/sqlite/open.ts'),
    import('../../../kit/statek.ts'),
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'statek-rehearsal-'));
  try {
    const store = await openSqlite(folder, { durability: 'relaxed' });
    try {
      await useStore(session, 'read', (from) => copyStore(from, store, { signal: session.signal }));
      const kit = await Kit.open({ ...(await session.application()).config, store });
      try {
        return await act(kit);
      } finally {
        await kit.close();
      }
    } finally {
      await store.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
