// Counts and times what jobs do, for OpenTelemetry if the application set it up; without that it costs next to nothing.
import { metrics, trace, SpanStatusCode, type Counter, type Histogram, type Span } from '@opentelemetry/api';

export class Telemetry {
  readonly #tracer = trace.getTracer('statek');
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();

  count(
    name: 'statek.jobs.submitted' | 'statek.jobs.done' | 'statek.jobs.claims' | 'statek.jobs.crashes',
    attributes: Record<string, string>,
    by = 1,
  ): void {
    let counter = this.#counters.get(name);
    if (counter === undefined) this.#counters.set(name, (counter = metrics.getMeter('statek').createCounter(name)));
    counter.add(by, attributes);
  }

  record(
    name: 'statek.job.duration' | 'statek.job.wait',
    milliseconds: number,
    attributes: Record<string, string>,
  ): void {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined)
      this.#histograms.set(name, (histogram = metrics.getMeter('statek').createHistogram(name, { unit: 's' })));
    histogram.record(milliseconds / 1000, attributes);
  }

  /** Runs something in a span; what it throws ends the span as an error. */
  async span<Result>(
    name: string,
    attributes: Record<string, string | number>,
    action: (span: Span) => Promise<Result>,
  ): Promise<Result> {
    return this.#tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await action(span);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
