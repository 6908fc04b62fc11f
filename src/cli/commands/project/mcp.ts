// `statek mcp`: serves jobs, workspaces and approvals to MCP clients.
import type { Command } from '../../line/command.ts';
import { wholeNumber } from '../../line/parse.ts';

export const mcp: Command = {
  name: 'mcp',
  group: 'Run',
  summary: 'serve jobs, workspaces and approvals to an MCP client',
  details: `Without --port it speaks over standard input and output, for a client that starts it. With --port it listens on
127.0.0.1 for streamable HTTP. It also works on jobs, unless --no-worker says that others do. Give an agent --no-approvals, so that it
cannot agree to what it asked for itself.`,
  options: [
    {
      flags: '--port <number>',
      description: 'listen for HTTP; 0 for any port that is free',
      parse: wholeNumber(0, 65_535),
    },
    { flags: '--host <name>', description: 'where to listen; anywhere but on this machine a token is needed' },
    { flags: '--token <text>', description: 'what HTTP clients have to send: Authorization: Bearer …' },
    { flags: '--read-only', description: 'clients may look, and change nothing' },
    { flags: '--no-approvals', description: 'clients may neither agree nor answer for a person' },
    { flags: '--no-worker', description: 'do not work on jobs in this process' },
  ],
  examples: [
    ['mcp', 'for a client that starts it, such as an editor'],
    ['mcp --port 4319 --read-only', 'over HTTP, to look only'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('work');
    const worker = given.flag('worker') ? kit.start() : undefined;
    const access = { readOnly: given.flag('readOnly'), approvals: given.flag('approvals') };
    const port = given.number('port');
    if (port === undefined) {
      const { serveMcpStdio } = await import('../../../server/mcp/stdio.ts');
      const served = serveMcpStdio(kit, access);
      await session.unlessInterrupted(served.ended).catch(() => undefined);
      await served.close();
    } else {
      const { serveMcpHttp } = await import('../../../server/mcp/http.ts');
      const served = await serveMcpHttp(kit, {
        ...access,
        port,
        host: given.optional('host'),
        token: given.optional('token'),
      });
      if (out.isJson) out.jsonLine({ kind: 'serving', url: served.url });
      else out.line(`Serving MCP at ${served.url}`);
      await session.unlessInterrupted(new Promise<never>(() => undefined)).catch(() => undefined);
      await served.close();
    }
    await worker?.stop({ graceMilliseconds: session.graceMilliseconds });
  },
};
