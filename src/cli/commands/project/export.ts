// `statek export`: a job as one file.
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { fileReason } from '../../output/file-errors.ts';
import { findJob } from '../../shown/identify.ts';

export const exportCommand: Command = {
  name: 'export',
  group: 'Maintain',
  summary: 'write a job to a file: its program with all commits, conversation, calls and the objects it holds',
  details: `Another person opens the file with statek inspect, or puts the job into a store with statek import. Without --secrets it
can only be looked at there: what keeps its handles from being forged is left out.`,
  arguments: [{ syntax: '<job>', description: 'its id' }],
  options: [
    { flags: '-o, --output <file>', description: 'where to write it (default: standard output)' },
    { flags: '--secrets', description: 'with what it needs to go on in another store' },
  ],
  examples: [
    ['export 3f2a > job.statek', 'a job to look at elsewhere'],
    ['export 3f2a -o job.statek --secrets', 'a job to go on with elsewhere'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const { id } = await findJob(kit, given.text('job'));
    const output = given.optional('output');
    if (output === undefined && (out.isTerminal || out.isJson))
      throw new UsageError(
        'The file is not text. Name one with --output, or redirect standard output, as in > job.statek.',
      );
    const bytes = Readable.from(kit.exportJob(id, { secrets: given.flag('secrets') }), { objectMode: false });
    if (output === undefined) {
      await pipeline(bytes, process.stdout, { end: false });
      return;
    }
    await pipeline(bytes, createWriteStream(resolve(session.folder, output))).catch((error: unknown) => {
      const reason = fileReason(error);
      if (reason === undefined) throw error;
      throw new UsageError(`Cannot write ${output}: ${reason}. Name another file with --output.`, {}, error);
    });
    if (out.isJson) out.json({ job: id, file: output });
    else out.line(output);
  },
};
