// `statek inspect`: the inspector on a project, a store, or a job in a file, in a browser.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '../../line/command.ts';
import { listenAt } from './listen.ts';
import { wholeNumber } from '../../line/parse.ts';

export const inspect: Command = {
  name: 'inspect',
  group: 'Look',
  summary: 'open the inspector, a page that shows jobs as a debugger does, in a browser',
  details: `It listens on 127.0.0.1 and prints a link with a token that is valid until it ends. It does not work on jobs unless
--worker says so: what other processes do is shown as they do it.`,
  arguments: [
    { syntax: '[place]', description: 'a project, a store, or a file of statek export (default: the project here)' },
  ],
  options: [
    {
      flags: '--port <number>',
      description: 'the port (default: a free one)',
      parse: wholeNumber(0, 65_535),
    },
    { flags: '--read-only', description: 'nothing can be changed' },
    { flags: '--worker', description: 'work on jobs in this process, too' },
    { flags: '--no-open', description: 'only print the link' },
  ],
  examples: [
    ['inspect', 'the project of this folder'],
    ['inspect ./data --read-only', 'a store, to look at'],
    ['inspect job.statek', 'a job that statek export wrote to a file'],
  ],
  async run(session, given) {
    const { out } = session;
    const place = given.optional('place');
    const file = place === undefined ? undefined : jobFile(session.folder, place);
    if (place !== undefined && file === undefined) session.openAt(place);
    // A job out of a file is looked at in a store of its own, in memory.
    if (file !== undefined) session.openAt('memory:');
    const kit = await session.kit('look');
    const job = file === undefined ? undefined : await kit.importJob(createReadStream(file));
    const { server } = await import('../../../server/http/server.ts');
    const token = randomBytes(24).toString('base64url');
    const served = server(kit, { readOnly: given.flag('readOnly'), token });
    const where = { port: given.number('port') ?? 0 };
    const listening = await listenAt(where, () => served.listen(where));
    const worker = given.flag('worker') ? kit.start() : undefined;
    const to = job === undefined ? '' : `&to=${encodeURIComponent(`/jobs/${encodeURIComponent(job.id)}`)}`;
    const link = `${listening.url}#token=${token}${to}`;
    if (out.isJson) out.jsonLine({ kind: 'inspecting', url: listening.url, token, link });
    else {
      out.line(link);
      out.note('Open this link in a browser. Stop with ^C.');
    }
    if (given.flag('open') && !out.isJson && process.stdout.isTTY) openInBrowser(link);
    await session.unlessInterrupted(new Promise<never>(() => undefined)).catch(() => undefined);
    await listening.close();
    await worker?.stop({ graceMilliseconds: session.graceMilliseconds });
  },
};

/** The path of a file that is not a store; undefined if the place is something else. */
function jobFile(folder: string, place: string): string | undefined {
  const path = resolve(folder, place);
  return !place.endsWith('.db') && statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
}

/** Where there is no browser, the link that was printed is enough. */
function openInBrowser(link: string): void {
  const programs: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['cmd', '/c', 'start', ''],
  };
  const [program, ...words] = programs[process.platform] ?? ['xdg-open'];
  const opening = spawn(program, [...words, link], { stdio: 'ignore', detached: true });
  opening.on('error', () => undefined);
  opening.unref();
}
