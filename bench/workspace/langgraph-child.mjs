// LangGraph with its SQLite checkpointer on the same steps: a node that runs again and again and keeps 500 bytes of state.
// Plain JavaScript, because it runs on whichever Node its native module was built for.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, file, count, threads] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const { Annotation, END, START, StateGraph } = await import(
  pathToFileURL(require.resolve('@langchain/langgraph')).href
);
const { SqliteSaver } = await import(pathToFileURL(require.resolve('@langchain/langgraph-checkpoint-sqlite')).href);

const steps = Number(count);
const saver = SqliteSaver.fromConnString(file);
// As durable as ours: every commit is synced.
saver.db.pragma('journal_mode = WAL');
saver.db.pragma('synchronous = FULL');

const graph = new StateGraph(Annotation.Root({ count: Annotation(), text: Annotation() }))
  .addNode('step', (state) => ({ count: state.count + 1, text: String(state.count).padEnd(500, 'x') }))
  .addEdge(START, 'step')
  .addConditionalEdges('step', (state) => (state.count < steps ? 'step' : END))
  .compile({ checkpointer: saver });
const run = (thread, from = 0) =>
  graph.invoke(
    { count: from, text: '' },
    { configurable: { thread_id: thread }, recursionLimit: steps + 10, durability: 'sync' },
  );
const bytes = () => saver.db.pragma('page_count', { simple: true }) * saver.db.pragma('page_size', { simple: true });

await run('warm');
const before = bytes();
const started = performance.now();
await run('measured');
const seconds = (performance.now() - started) / 1000;
const grown = bytes() - before;
// Many threads at once, each with a tenth of the steps.
const stepsEach = Math.ceil(steps / 10);
const startedMany = performance.now();
await Promise.all(Array.from({ length: Number(threads) }, (_, index) => run(`thread ${index}`, steps - stepsEach)));
const secondsMany = (performance.now() - startedMany) / 1000;
console.log(
  JSON.stringify({
    stepsPerSecond: steps / seconds,
    stepsPerSecondMany: (stepsEach * Number(threads)) / secondsMany,
    bytesPerStep: grown / steps,
    synchronous: saver.db.pragma('synchronous', { simple: true }),
  }),
);
