// `statek import`: a job out of a file.
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { harmless } from '../../output/style.ts';
import { fileReason } from '../../output/file-errors.ts';

export const importCommand: Command = {
  name: 'import',
  group: 'Maintain',
  summary: 'put a job from a file of statek export into the store',
  details: `The job keeps its id and is paused. If it was exported with --secrets, statek resume lets it go on here; then it must not
go on where it came from, too. A damaged file changes nothing.`,
  arguments: [{ syntax: '<file>', description: 'what statek export wrote' }],
  examples: [['import job.statek', 'then statek show, statek log, statek at …']],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('work');
    const path = resolve(session.folder, given.text('file'));
    const job = await kit.importJob(createReadStream(path)).catch((error: unknown) => {
      const reason = fileReason(error);
      if (reason === undefined) throw error;
      throw new UsageError(`Cannot read ${given.text('file')}: ${reason}.`, {}, error);
    });
    if (out.isJson) out.json({ job: job.id, status: job.status, paused: job.paused });
    else out.line(harmless(job.id));
  },
};
