// Figures of this process and of the queues, as Prometheus text. Counting every job of a large store would take longer than a
// scrape may: what is shown is what is due, who works, and what this server has done.
import type { KitAccess } from '../access/kit-access.ts';

export class RequestCounts {
  readonly #counts = new Map<string, number>();

  add(method: string, route: string, status: number): void {
    const name = `method="${method}",route="${route}",status="${status}"`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  *lines(): Generator<string> {
    for (const [labels, count] of this.#counts) yield `statek_http_requests_total{${labels}} ${count}`;
  }
}

export async function metricsText(access: KitAccess, requests: RequestCounts): Promise<string> {
  const kit = access.kit('read');
  const [queues, workers, revision, bytes, slow, hot] = await Promise.all([
    kit.queues(),
    kit.workers(),
    kit.store.revision(),
    kit.store.size?.(),
    kit.slowSlices(),
    kit.hotObjects(),
  ]);
  const lines: string[] = [];
  const metric = (name: string, kind: 'gauge' | 'counter', help: string, values: Iterable<string>): void => {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...values);
  };
  const quoted = (text: string): string => JSON.stringify(text);
  const byRole = (name: string, of: (queue: (typeof queues)[number]) => number): string[] =>
    queues.map((queue) => `${name}{role=${quoted(queue.role)}} ${of(queue)}`);
  metric(
    'statek_queue_jobs',
    'gauge',
    'Jobs that have something to do.',
    byRole('statek_queue_jobs', ({ jobs }) => jobs),
  );
  metric(
    'statek_queue_claimed',
    'gauge',
    'Jobs that a process works on.',
    byRole('statek_queue_claimed', ({ claimed }) => claimed),
  );
  metric(
    'statek_queue_oldest_seconds',
    'gauge',
    'How long the first job of the queue has been there.',
    byRole('statek_queue_oldest_seconds', ({ oldestMilliseconds = 0 }) => oldestMilliseconds / 1000),
  );
  metric(
    'statek_queue_waiting_seconds',
    'gauge',
    'How long the first job has waited that no process works on.',
    byRole('statek_queue_waiting_seconds', ({ waitingMilliseconds = 0 }) => waitingMilliseconds / 1000),
  );
  metric('statek_workers', 'gauge', 'Processes that hold jobs.', [`statek_workers ${workers.length}`]);
  metric('statek_store_revision', 'counter', 'Transactions committed to the store.', [
    `statek_store_revision ${revision}`,
  ]);
  if (bytes !== undefined)
    metric('statek_store_bytes', 'gauge', 'What the store takes on its disk or in its server.', [
      `statek_store_bytes ${bytes}`,
    ]);
  const day = Date.now() - 24 * 3_600_000;
  metric(
    'statek_slow_slices',
    'gauge',
    'Slices of the last 24 hours that kept their process busy for long, at most 100.',
    sums(slow.filter(({ time }) => time.getTime() >= day).map(({ role }) => [role, 1])).map(
      ([role, number]) => `statek_slow_slices{role=${quoted(role)}} ${number}`,
    ),
  );
  metric(
    'statek_object_conflicts',
    'gauge',
    'Slices and transactions of the last 24 hours that ran again because of a conflict over an object, by its class.',
    sums(hot.map(({ type = 'gone', conflicts }) => [type, conflicts])).map(
      ([type, number]) => `statek_object_conflicts{class=${quoted(type)}} ${number}`,
    ),
  );
  metric('statek_http_requests_total', 'counter', 'Requests answered by this server.', requests.lines());
  metric('process_resident_memory_bytes', 'gauge', 'Memory of this process.', [
    `process_resident_memory_bytes ${process.memoryUsage().rss}`,
  ]);
  metric('process_uptime_seconds', 'gauge', 'Age of this process.', [
    `process_uptime_seconds ${process.uptime().toFixed(1)}`,
  ]);
  return `${lines.join('\n')}\n`;
}

/** Numbers with the same name added up: roles and classes are few, jobs and objects are not. */
function sums(parts: readonly (readonly [name: string, number: number])[]): [string, number][] {
  const all = new Map<string, number>();
  for (const [name, number] of parts) all.set(name, (all.get(name) ?? 0) + number);
  return [...all];
}
