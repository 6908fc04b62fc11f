// `statek doctor`: is everything there that Statek needs, and is it sound?
import type { Command } from '../../line/command.ts';
import { exitCodes } from '../../line/exit-codes.ts';
import { harmless } from '../../output/style.ts';

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

export const doctor: Command = {
  name: 'doctor',
  group: 'Maintain',
  summary: 'check Node, the engines, the configuration, the store, keys, clock and disk',
  details: 'Reads the whole store. Ends with 1 if something fails; warnings alone end with 0.',
  examples: [['doctor', 'each line says ok, warn or FAIL, and what to do']],
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
