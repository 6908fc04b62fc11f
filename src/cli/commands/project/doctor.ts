// `statek doctor`: checks the installation, the configuration and the store.
import type { Command } from '../../line/command.ts';
import { exitCodes } from '../../line/exit-codes.ts';
import { harmless } from '../../output/style.ts';

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

export const doctor: Command = {
  name: 'doctor',
  group: 'Maintain',
  summary: 'check Node, engines, configuration, store, model keys, clock and disk; name slow slices and hot objects',
  details: 'Reads the whole store. Exits with 1 if a check fails; warnings alone exit with 0.',
  examples: [['doctor', 'each check is ok, warn or FAIL, with advice']],
  async run(session) {
    const { out } = session;
    const { examine } = await import('../../doctor/examine.ts');
    const findings = [];
    for await (const finding of examine(session)) {
      findings.push(finding);
      if (out.isJson) continue;
      const { status, name, text, advice } = finding;
      const paint = status === 'ok' ? out.style.green : status === 'warn' ? out.style.yellow : out.style.red;
      out.line(`${paint(marks[status])}  ${name}: ${harmless(text)}`);
      if (advice !== undefined) out.line(`      ${harmless(advice)}`);
    }
    const isFine = findings.every(({ status }) => status !== 'fail');
    if (out.isJson) out.json({ ok: isFine, findings });
    return isFine ? exitCodes.ok : exitCodes.failed;
  },
};
