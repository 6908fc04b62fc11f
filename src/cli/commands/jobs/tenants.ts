// `statek tenants`: what the jobs of a tenant may use together, and what they use.
import type { TenantLimits } from '../../../jobs/tenants/rows.ts';
import type { TenantState } from '../../../jobs/tenants/tenants.ts';
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { refuseOptionsOfOthers } from '../../line/refuse-options.ts';
import { oneLine } from '../../output/style.ts';
import { bytesText, parseBytes } from '../../output/time.ts';

const limitNames = ['jobsAtOnce', 'tokensPerDay', 'costPerDay', 'bytes'] as const;

const optionsOf = Object.fromEntries(limitNames.map((name) => [name, ['limit']]));

export const tenants: Command = {
  name: 'tenants',
  group: 'Act',
  summary: 'limits of tenants, and what they use: list, show, limit',
  details: `A job belongs to the tenant that its label says: tenant:acme. limit sets all limits of a tenant at once, and without any
it takes them away. The name '*' is for tenants that have no limits of their own.`,
  arguments: [
    { syntax: '<what>', description: 'list, show or limit' },
    { syntax: '[tenant]', description: 'its name, or *' },
  ],
  options: [
    { flags: '--jobs-at-once <number>', description: 'limit: jobs that are worked on at once' },
    { flags: '--tokens-per-day <number>', description: 'limit: tokens of models in a day, UTC' },
    { flags: '--cost-per-day <dollars>', description: 'limit: US dollars for models in a day, UTC' },
    { flags: '--bytes <size>', description: 'limit: what the histories of its programs take, such as 500mb or 5g' },
  ],
  examples: [
    ['tenants limit acme --jobs-at-once 10 --cost-per-day 20', 'both hold in all processes'],
    ['tenants show acme', 'what it may use, and what it uses'],
  ],
  async run(session, given) {
    const { out } = session;
    const what = given.text('what');
    refuseOptionsOfOthers(given, `tenants ${what}`, what, optionsOf);
    if (what === 'list' && given.optional('tenant') !== undefined)
      throw new UsageError('statek tenants list shows all of them; statek tenants show TENANT shows one.');
    const kit = await session.kit('look');
    if (what === 'list') {
      const all: TenantState[] = [];
      let cursor: string | undefined;
      do {
        const page = await kit.tenants.list({ limit: 1000, cursor });
        all.push(...page.tenants);
        ({ cursor } = page);
      } while (cursor !== undefined);
      if (out.isJson) out.json(all);
      else if (all.length === 0) out.note('No tenant has limits or jobs.');
      else
        out.table(all, [
          { title: 'TENANT', text: ({ name }) => oneLine(name), minWidth: 8 },
          { title: 'AT WORK', text: ({ usage }) => String(usage?.jobsAtOnce ?? ''), right: true },
          { title: 'TOKENS TODAY', text: ({ usage }) => String(usage?.tokens ?? ''), right: true },
          { title: 'COST TODAY', text: ({ usage }) => (usage === undefined ? '' : costText(usage.cost)), right: true },
          { title: 'HISTORIES', text: ({ usage }) => (usage === undefined ? '' : bytesText(usage.bytes)), right: true },
          { title: 'LIMITS', text: ({ limits }) => limitsText(limits), minWidth: 16 },
        ]);
      return;
    }
    const name = given.optional('tenant');
    if ((what !== 'show' && what !== 'limit') || name === undefined)
      throw new UsageError('Use statek tenants list, statek tenants show TENANT or statek tenants limit TENANT.');
    if (what === 'limit')
      await kit.tenants.limit(
        name,
        limitsIn((option) => given.optional(option)),
      );
    const [limits, usage] = [await kit.tenants.limits(name), await kit.tenants.usage(name)];
    if (out.isJson) out.json({ name, limits, usage });
    else
      out.facts([
        ['tenant', oneLine(name)],
        ['limits', limitsText(limits)],
        ['at work', String(usage.jobsAtOnce)],
        ['today', `${usage.tokens} tokens, ${costText(usage.cost)}`],
        ['histories', bytesText(usage.bytes)],
      ]);
  },
};

function costText(cost: number): string {
  return `$${cost.toFixed(4)}`;
}

function limitsText(limits: TenantLimits): string {
  const set = limitNames.filter((name) => limits[name] !== undefined).map((name) => `${name} ${limits[name] ?? ''}`);
  return set.length === 0 ? 'none' : set.join(', ');
}

function limitsIn(optional: (name: string) => string | undefined): TenantLimits {
  const set = limitNames.flatMap((name): [string, number][] => {
    const text = optional(name);
    if (text === undefined) return [];
    if (name === 'bytes') return [[name, parseBytes('--bytes', text)]];
    const number = Number(text);
    if (text.trim() === '' || Number.isNaN(number)) {
      const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      throw new UsageError(`${flag}: '${text}' is not a number.`);
    }
    return [[name, number]];
  });
  return Object.fromEntries(set);
}
