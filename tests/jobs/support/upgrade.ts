// Jobs of an application that is updated while they wait, in both languages.
import { program, Statek, tool, type Program } from '../../../src/index.ts';
import type { LanguageName, OnChange } from '../../../src/types.ts';
import type { Store } from '../../../src/store.ts';

const sources: Readonly<Record<LanguageName, (version: string) => string>> = {
  typescript: (version) =>
    `const paid = await pay('${version}'); const day = await ask('Which day?'); const more = await ask('More?'); [origin, paid, day, more].join(' ')`,
  python: (version) =>
    `paid = pay('${version}')\nday = ask('Which day?')\nmore = ask('More?')\n' '.join([origin, paid, day, more])`,
};

export interface VersionedKit {
  readonly version?: string | number | undefined;
  readonly onChange?: OnChange | undefined;
  readonly language?: LanguageName | undefined;
  /** Called when something is paid. */
  readonly pays?: (version: string) => void;
}

/** The trip of one version: what it pays for says which one it is. */
export async function openVersion(
  store: Store,
  { version, onChange, language = 'typescript', pays = () => undefined }: VersionedKit,
): Promise<{ readonly kit: Statek; readonly trip: Program<unknown>; readonly services: Record<string, object> }> {
  const pay = tool({
    name: 'pay',
    effect: true,
    execute: (what: string) => {
      pays(what);
      return `paid-${what}`;
    },
  });
  const source = sources[language](version === undefined ? 'none' : String(version));
  const trip = program({ role: 'trip', source, language, ...(onChange === undefined ? {} : { onChange }) });
  const services = { pay };
  const kit = await Statek.open({ store, version, drivers: [trip], services, leaseMilliseconds: 60_000 });
  return { kit, trip, services };
}
