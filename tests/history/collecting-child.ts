// A process that commits, forks, tags, drops and collects without end, until it is killed. Each commit's metadata holds
// a fingerprint of its image, and each line printed is something that must survive: `commit chain hash` or `tag chain name`.
import { hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import type { Head, Image } from '../../src/history/history.ts';
import type { TransactionPart } from '../../src/store/transaction-part.ts';
import { openHistory } from '../../src/history/open.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import { openStore } from '../../src/store/open.ts';
import { Random } from '../crash/random.ts';
import { ImageProgram, randomBoot } from '../support/image-program.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [, , folder = '', seedText = '0'] = process.argv;
const random = new Random(Number(seedText));
const store = await openStore(folder, { sqlite: { durability: 'relaxed' } });
const history = await openHistory(store, { clock: systemClock });

function fingerprint({ bytes, header }: Image): string {
  return hash('sha256', Buffer.concat([bytes, header]), 'hex');
}

async function commit(prepared: TransactionPart, line: string): Promise<number> {
  const revision = await mustCommit(store, { checks: prepared.checks, writes: prepared.writes });
  // Not process.stdout: it buffers what a busy reader has no room for, and a buffer dies with its process.
  writeSync(1, `${line}\n`);
  return revision;
}

async function write(chain: string): Promise<void> {
  const boot = randomBoot(random);
  const created = await history.create(chain, boot, { fingerprint: fingerprint(boot) });
  await commit(created, `commit ${chain} ${created.hash}`);
  let { head, image }: { head: Head; image: Image } = await history.open(chain);
  let program = new ImageProgram(image, random);
  for (let step = 1; ; step++) {
    const change = program.run();
    const prepared = history.prepare(head, change, { fingerprint: fingerprint(program.image()) });
    head = prepared.committed(await commit(prepared, `commit ${chain} ${prepared.hash}`));
    program.keep();
    const { commits } = await history.list(chain, { limit: 5 });
    const old = random.pick(commits);
    if (step % 9 === 0) {
      const name = `${chain}-${step}`;
      const forked = await history.fork(chain, old.hash, name, old.metadata);
      await commit(forked, `commit ${name} ${forked.hash}`);
    }
    if (step % 7 === 0) {
      await commit(await history.tag(chain, old.hash, `step-${step}`), `tag ${chain} step-${step}`);
    }
    if (step % 11 === 0) {
      const rolledBack = await history.rollback(chain, old.hash, old.metadata);
      await commit(rolledBack, `commit ${chain} ${rolledBack.hash}`);
      ({ head, image } = await history.open(chain));
      program = new ImageProgram(image, random);
    }
  }
}

async function collect(): Promise<void> {
  for (;;) await history.gc({ retention: { last: 12 } });
}

writeSync(1, 'ready\n');
await Promise.all([write(`a${seedText}`), write(`b${seedText}`), collect()]);
