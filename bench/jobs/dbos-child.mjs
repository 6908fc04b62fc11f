// DBOS on the same steps: workflows whose steps return 500 bytes each, in one process.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, url, schema, runs] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const { DBOS } = await import(pathToFileURL(require.resolve('@dbos-inc/dbos-sdk')).href);

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: url,
  systemDatabaseSchemaName: schema,
  // As many connections as it can use; ours takes ten at most.
  systemDatabasePoolSize: 20,
  logLevel: 'error',
});
const work = DBOS.registerWorkflow(
  async (steps) => {
    for (let number = 1; number <= steps; number++)
      await DBOS.runStep(async () => String(number).padEnd(500, '.'), { name: 'step' });
    return steps;
  },
  { name: 'work' },
);
await DBOS.launch();
await (await DBOS.startWorkflow(work)(3)).getResult();
const figures = [];
for (const { jobs, steps } of JSON.parse(runs)) {
  const started = performance.now();
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const handle = await DBOS.startWorkflow(work)(steps);
      return handle.getResult();
    }),
  );
  figures.push((jobs * steps) / ((performance.now() - started) / 1000));
}
await DBOS.shutdown();
console.log(JSON.stringify(figures));
process.exit(0);
