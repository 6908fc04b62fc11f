// The store: what it is, how it grew, and what retention keeps in it.
import type { JSX } from 'preact';
import { bytes, count, duration, plural, words } from '../../format.ts';
import type { Queried } from '../../live/query.ts';
import { Age } from '../../parts/age.tsx';
import { short } from '../../parts/value.tsx';
import { Sparkline } from '../job/sparkline.tsx';
import { Card } from './card.tsx';
import type { System } from './system-screen.tsx';

export function StoreCard({ system }: { readonly system: Queried<System> }): JSX.Element {
  return (
    <Card title="Store" query={system} none="">
      {system.data !== undefined && (
        <>
          <dl class="facts">
            {inOrder(system.data.store).map(([name, value]) => (
              <div key={name}>
                <dt class="soft">{name === 'bytes' ? 'size' : words(name)}</dt>
                <dd>{factText(name, value)}</dd>
              </div>
            ))}
          </dl>
          <Growth sizes={system.data.sizes} />
        </>
      )}
    </Card>
  );
}

/** What changes comes first. */
function inOrder({ engine, bytes: size, revision, ...rest }: System['store']): readonly (readonly [string, unknown])[] {
  return [['engine', engine], ['bytes', size], ['revision', revision], ...Object.entries(rest)].filter(
    ([, value]) => value !== undefined,
  ) as [string, unknown][];
}

/** The size of the store, hour by hour. */
function Growth({ sizes }: { readonly sizes: System['sizes'] }): JSX.Element | null {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined || sizes.length < 2) return null;
  const points = sizes.map(({ time, bytes: value }) => ({ sequence: Date.parse(time), value }));
  return (
    <>
      <p class="small soft growth">
        {bytes(first.bytes)} on {first.time.slice(0, 10)}, {bytes(last.bytes)} on {last.time.slice(0, 10)}
      </p>
      <Sparkline points={points} choose={() => undefined} />
    </>
  );
}

export function RetentionCard({ system }: { readonly system: Queried<System> }): JSX.Element {
  const { policy, last, removed } = system.data?.retention ?? { policy: {} };
  return (
    <Card title="Retention" query={system} none="">
      <dl class="facts">
        {typeof policy === 'string' ? (
          <div>
            <dt class="soft">keeps</dt>
            <dd>{policy === 'everything' ? 'everything' : 'what the application decides for each program'}</dd>
          </div>
        ) : (
          Object.entries(policy).map(([name, value]) => {
            const [word, text] = policyWords[name] ?? [name, String];
            return (
              <div key={name}>
                <dt class="soft">{word}</dt>
                <dd>{text(Number(value))}</dd>
              </div>
            );
          })
        )}
        <div>
          <dt class="soft">last applied</dt>
          <dd>{last === undefined ? 'not yet' : <Age time={last} />}</dd>
        </div>
        {removed !== undefined && (
          <div>
            <dt class="soft">removed then</dt>
            <dd>
              {plural(removed.commitsDropped, 'commit')}, {plural(removed.rowsRemoved, 'row')},{' '}
              {bytes(removed.bytesFreed)}
            </dd>
          </div>
        )}
      </dl>
    </Card>
  );
}

/** What each part of a policy keeps of every program. */
const policyWords: Readonly<Record<string, readonly [string, (value: number) => string]>> = {
  last: ['keeps the latest', (value) => plural(value, 'commit')],
  youngerThan: ['and those of the last', duration],
  bytes: ['but at most', bytes],
};

function factText(name: string, value: unknown): string {
  if (typeof value === 'number') return /bytes|size/i.test(name) ? bytes(value) : count(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : short(value, 300);
}
