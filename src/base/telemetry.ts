// Counts, times and traces what is done, for OpenTelemetry if the application set it up; without that it costs next to
// nothing. Names follow its conventions for generative AI where there are any.
import { metrics, SpanStatusCode, trace, type Attributes, type Counter, type Histogram } from '@opentelemetry/api';

type CounterName = 'statek.jobs.submitted' | 'statek.jobs.done' | 'statek.jobs.claims' | 'statek.jobs.crashes';
type HistogramName = 'statek.job.duration' | 'statek.slice.duration' | 'statek.call.duration';

const counters = new Map<string, Counter>();
const histograms = new Map<string, Histogram>();

export function count(name: CounterName, attributes: Attributes, by = 1): void {
  let counter = counters.get(name);
  if (counter === undefined) counters.set(name, (counter = metrics.getMeter('statek').createCounter(name)));
  counter.add(by, attributes);
}

export function recordDuration(name: HistogramName, milliseconds: number, attributes: Attributes): void {
  let histogram = histograms.get(name);
  if (histogram === undefined)
    histograms.set(name, (histogram = metrics.getMeter('statek').createHistogram(name, { unit: 's' })));
  histogram.record(milliseconds / 1000, attributes);
}

/** Does something in a span and times it; what it throws ends the span as an error. */
export async function traced<Result>(
  name: string,
  histogram: HistogramName,
  attributes: Attributes,
  action: () => Promise<Result>,
  /** What tells spans apart and would be too much for a histogram. */
  ofSpan: Attributes = {},
): Promise<Result> {
  return trace.getTracer('statek').startActiveSpan(name, { attributes: { ...attributes, ...ofSpan } }, async (span) => {
    const started = performance.now();
    try {
      return await action();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      recordDuration(histogram, performance.now() - started, attributes);
      span.end();
    }
  });
}

/** How a call of a tool is named and described. */
export function toolAttributes(tool: string): Attributes {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool };
}
