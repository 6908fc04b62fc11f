// `statek at`: a program as it was at one commit.
import type { Command } from '../../line/command.ts';
import { findCommit, findWorkspace } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';
import { jsonValue, shownValue } from '../../output/values.ts';
import { inFull } from '../../shown/variables.ts';

export const at: Command = {
  name: 'at',
  group: 'History',
  summary: 'show a job or workspace at a commit: its variables, its console, or the value of an expression',
  arguments: [
    { syntax: '<id>', description: 'a job or workspace' },
    { syntax: '<commit>', description: 'a hash (may be shortened), HEAD, or HEAD~2' },
  ],
  options: [
    { flags: '-c, --code <code>', description: 'run code on a copy of the program and print its value' },
    { flags: '--console', description: 'print its console instead of its variables' },
  ],
  examples: [
    ['at analysis HEAD~1', 'its variables one commit ago'],
    ["at analysis 5f3c -c 'rows.length'", 'evaluate an expression in the past'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const workspace = await findWorkspace(kit, given.text('id'));
    const past = await workspace.at(await findCommit(workspace, given.text('commit')));
    const code = given.optional('code');
    if (code !== undefined) {
      const { json, text } = await inFull(kit, await past.run(code), 20_000);
      if (out.isJson) out.json(json);
      else out.line(text);
      return;
    }
    const locals = past.locals();
    const lines = await past.console();
    if (out.isJson) out.json({ commit: past.commit, variables: jsonValue(locals), console: lines });
    else if (given.flag('console')) out.lines(lines.map(harmless));
    else out.facts(Object.entries(locals).map(([name, value]) => [harmless(name), shownValue(value)]));
  },
};
