// Leaves the inspector open on the story that was just played, until ^C.
import { once } from 'node:events';
import type { Job, Statek } from 'statek';
import { server } from 'statek/server';

export async function inspectUntilInterrupted(kit: Statek, job: Job): Promise<void> {
  // An installed package brings the page; in the repository it is built when its sources have changed.
  const { upToDateInspector } = await import('../../scripts/support/inspector.ts');
  await upToDateInspector();
  const { url, token = '', close } = await server(kit).listen();
  // What is decided, said or forked in the page is worked on here.
  const worker = kit.start();
  const place = encodeURIComponent(`/jobs/${encodeURIComponent(job.id)}`);
  console.log(`\n  The inspector: ${url}#token=${token}&to=${place}\n  Stop with ^C.`);
  await once(process, 'SIGINT');
  await close();
  await worker.stop();
}
