// `statek mcp`: serves jobs, workspaces and approvals to MCP clients.
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { listenAt } from './listen.ts';
import { wholeNumber } from '../../line/parse.ts';

export const mcp: Command = {
  name: 'mcp',
  group: 'Run',
  summary: 'serve jobs, workspaces and approvals to an MCP client',
  details: `Without --port it serves over standard input and output, for a client that starts it. With --port it serves streamable
HTTP on 127.0.0.1. It also works on jobs; --no-worker leaves that to other processes. Use --no-approvals if the client is
an agent, so that it cannot approve its own calls.`,
  options: [
    {
      flags: '--port <number>',
      description: 'listen for HTTP; 0 picks a free port',
      parse: wholeNumber(0, 65_535),
    },
    { flags: '--host <name>', description: 'the address to listen on (default: 127.0.0.1); others require --token' },
    { flags: '--token <text>', description: 'the token HTTP clients must send as Authorization: Bearer …' },
    { flags: '--read-only', description: 'clients cannot change anything' },
    { flags: '--no-approvals', description: 'clients cannot approve, deny or answer' },
    { flags: '--no-worker', description: 'do not work on jobs in this process' },
  ],
  examples: [
    ['mcp', 'for a client that starts the server, such as an editor'],
    ['mcp --port 4319 --read-only', 'over HTTP, read-only'],
  ],
  async run(session, given) {
    const { out } = session;
    const port = given.number('port');
    for (const name of ['host', 'token'])
      if (port === undefined && given.optional(name) !== undefined)
        throw new UsageError(`--${name} is for HTTP. Add --port, or leave it out.`);
    const kit = await session.kit('work');
    const worker = given.flag('worker') ? kit.start() : undefined;
    const access = { readOnly: given.flag('readOnly'), approvals: given.flag('approvals') };
    if (port === undefined) {
      const { serveMcpStdio } = await import('../../../server/mcp/stdio.ts');
      const served = serveMcpStdio(kit, access);
      await session.unlessInterrupted(served.ended).catch(() => undefined);
      await served.close();
    } else {
      const { serveMcpHttp } = await import('../../../server/mcp/http.ts');
      const where = { port, host: given.optional('host') };
      const served = await listenAt(where, () =>
        serveMcpHttp(kit, { ...access, ...where, token: given.optional('token') }),
      );
      if (out.isJson) out.jsonLine({ kind: 'serving', url: served.url });
      else out.line(`Serving MCP at ${served.url}`);
      await session.unlessInterrupted(new Promise<never>(() => undefined)).catch(() => undefined);
      await served.close();
    }
    await worker?.stop({ graceMilliseconds: session.graceMilliseconds });
  },
};
