// Checks what a server promises, on every new connection: after a failover another server may answer, with other settings.
import { StoreFeatureError, StoreUnavailableError } from '../errors.ts';
import type { Client } from './client.ts';
import type { ThreadSettings } from './options.ts';

/**
 * How a commit becomes durable before it is acknowledged. `synced`: the server syncs before it answers. `wait`: the
 * connection waits with WAITAOF. `none`: not at all, which the caller asked for.
 */
export type Durability = 'synced' | 'wait' | 'none';

const minVersion = [7, 0] as const;
const waitVersion = [7, 2] as const;

export async function checkServer(client: Client, { durability, place }: ThreadSettings): Promise<Durability> {
  const [information, appendfsync] = await Promise.all([
    client.sendCommand<Buffer>(['INFO']).then(parseInformation),
    // Many hosted servers forbid CONFIG.
    client.sendCommand<Buffer[]>(['CONFIG', 'GET', 'appendfsync']).then(
      ([, value]) => value?.toString(),
      () => undefined,
    ),
  ]);
  const refuse = (why: string): never => {
    throw new StoreFeatureError(`${place} cannot be used: ${why}`, { place });
  };
  const version = information.get('redis_version') ?? '0';
  if (!isAtLeast(version, minVersion)) refuse(`it is Redis ${version}; Redis 7.0, Valkey 7.2 or newer is required.`);
  if (information.get('role') === 'slave')
    throw new StoreUnavailableError(`${place} is a replica, which accepts no writes. Connect to the primary.`, {
      place,
    });
  // While it reads its files, its other answers mean nothing.
  if (information.get('loading') !== '0' || information.get('async_loading') === '1')
    throw new StoreUnavailableError(`${place} is still loading its data. Try again when it is done.`, { place });
  const policy = information.get('maxmemory_policy') ?? 'unknown';
  if (policy !== 'noeviction')
    refuse(
      `its maxmemory-policy is ${policy}, which deletes entries when memory is short. Set it to noeviction, or use another server.`,
    );
  if (durability === 'relaxed') return 'none';
  if (information.get('aof_enabled') !== '1')
    refuse(
      "it keeps no append-only file, so a crash of the server loses acknowledged commits. Set appendonly yes and appendfsync always, or ask for less with durability: 'relaxed', in a URL ?durability=relaxed.",
    );
  if (appendfsync === 'always') return 'synced';
  if (isAtLeast(version, waitVersion) && appendfsync !== 'no') return 'wait';
  return refuse(
    `its appendfsync is ${appendfsync ?? 'unknown, because CONFIG is forbidden'}, so a crash of the server may lose acknowledged commits. Set appendfsync always, use Redis or Valkey 7.2 or newer, or ask for less with durability: 'relaxed', in a URL ?durability=relaxed.`,
  );
}

function parseInformation(text: Buffer): ReadonlyMap<string, string> {
  const pairs = text
    .toString()
    .split('\r\n')
    .map((line) => line.split(':', 2) as [string, string]);
  return new Map(pairs);
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [givenMajor = 0, givenMinor = 0] = version.split('.').map(Number);
  return givenMajor > major || (givenMajor === major && givenMinor >= minor);
}
