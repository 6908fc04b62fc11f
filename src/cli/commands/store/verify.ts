// `statek verify`: reads everything in the store, or in backups, and names what is damaged.
import { resolve } from 'node:path';
import type { VerifyPhase } from '../../../kit/verify/verify-kit.ts';
import type { Command } from '../../line/command.ts';
import { exitCodes } from '../../line/exit-codes.ts';
import { harmless } from '../../output/style.ts';
import { bytesText } from '../../output/time.ts';
import type { Session } from '../../session.ts';
import { withFile } from './moving.ts';
import { useStore } from './open-store.ts';

const labels: Readonly<Record<VerifyPhase, string>> = { store: 'entries', rows: 'rows', images: 'images' };
const drawEvery = 100;

export const verify: Command = {
  name: 'verify',
  group: 'Maintain',
  summary: 'read and check everything in the store, or in backups, and name what is damaged',
  details: `It checks the checksums of all entries and of the change log, rows that name other rows, and the images of programs. What is
damaged concerns only the job it is listed with. The exit code is 1 if something is wrong.`,
  arguments: [{ syntax: '[backups...]', description: 'check these backups instead of the store' }],
  options: [
    { flags: '--all-images', description: 'rebuild the image of every commit, not only the latest of each program' },
  ],
  examples: [
    ['verify', 'the store of this project'],
    ['verify monday.backup tuesday.backup', 'backups, before they are needed'],
  ],
  run: (session, given) => {
    const files = given.list('backups');
    return files.length > 0 ? verifyBackups(session, files) : verifyStore(session, given.flag('allImages'));
  },
};

async function verifyStore(session: Session, allImages: boolean): Promise<number> {
  const { out, signal } = session;
  const { verifyKit } = await import('../../../kit/verify/verify-kit.ts');
  const report = await useStore(session, 'read', (store) =>
    verifyKit(store, {
      images: allImages ? 'all' : 'latest',
      signal,
      onProgress: ({ phase, done }) => {
        if (done % drawEvery === 0) out.progress(labels[phase], done, Math.max(done, 1));
      },
    }),
  );
  const { problems } = report;
  if (out.isJson) out.json(report);
  else {
    if (problems.length > 0)
      out.table(problems, [
        { title: 'JOB', text: ({ job }) => harmless(job ?? ''), minWidth: 8 },
        { title: 'PROBLEM', text: ({ what }) => harmless(what) },
      ]);
    out.facts([
      ['entries', `${report.entries} (${bytesText(report.bytes)})`],
      ['references', `of ${report.rows} rows`],
      ['images', String(report.images)],
      ['problems', problems.length === 0 ? 'none' : String(problems.length)],
    ]);
  }
  return problems.length === 0 ? exitCodes.ok : exitCodes.failed;
}

async function verifyBackups(session: Session, files: readonly string[]): Promise<number> {
  const { out } = session;
  const { inspectBackup } = await import('../../../store/backup/inspect-backup.ts');
  const found = [];
  for (const file of files) found.push(await withFile(session, file, inspectBackup(resolve(session.folder, file))));
  if (out.isJson) out.json({ backups: found });
  else
    for (const { file, revision, since, made, entries, bytes } of found)
      out.line(
        `${file}  ok  ${since === undefined ? 'full' : `since ${since}`}  revision ${revision}  ${entries} entries  ${bytesText(bytes)}  ${made}`,
      );
  return exitCodes.ok;
}
