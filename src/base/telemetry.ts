// Counts, times and traces what is done, for OpenTelemetry if the application set it up; without that it costs next to
// nothing. Names follow its conventions for generative AI where there are any.
import {
  metrics,
  SpanStatusCode,
  trace,
  type Attributes,
  type Counter,
  type Histogram,
  type Meter,
  type Span,
} from '@opentelemetry/api';

type CounterName = 'statek.jobs.submitted' | 'statek.jobs.done' | 'statek.jobs.claims' | 'statek.jobs.crashes';
type DurationName =
  | 'statek.job.duration'
  | 'statek.slice.duration'
  | 'statek.call.duration'
  | 'gen_ai.client.operation.duration';

interface Instruments {
  readonly meter: Meter;
  readonly counters: Map<string, Counter>;
  readonly histograms: Map<string, Histogram>;
}

// An application may set OpenTelemetry up after the first use: instruments belong to whoever provides them at the moment.
const byProvider = new WeakMap<object, Instruments>();

function instruments(): Instruments {
  const provider = metrics.getMeterProvider();
  let found = byProvider.get(provider);
  if (found === undefined) {
    found = { meter: provider.getMeter('statek'), counters: new Map(), histograms: new Map() };
    byProvider.set(provider, found);
  }
  return found;
}

export function count(name: CounterName, attributes: Attributes, by = 1): void {
  const { meter, counters } = instruments();
  let counter = counters.get(name);
  if (counter === undefined) counters.set(name, (counter = meter.createCounter(name)));
  counter.add(by, attributes);
}

function histogram(name: string, unit: string): Histogram {
  const { meter, histograms } = instruments();
  let found = histograms.get(name);
  if (found === undefined) histograms.set(name, (found = meter.createHistogram(name, { unit })));
  return found;
}

export function recordDuration(name: DurationName, milliseconds: number, attributes: Attributes): void {
  histogram(name, 's').record(milliseconds / 1000, attributes);
}

/** How many tokens a model was sent, or sent itself. */
export function recordTokens(tokens: number, type: 'input' | 'output', attributes: Attributes): void {
  histogram('gen_ai.client.token.usage', '{token}').record(tokens, { ...attributes, 'gen_ai.token.type': type });
}

/** Does something in a span and times it; what it throws ends the span as an error. */
export async function traced<Result>(
  name: string,
  duration: DurationName,
  attributes: Attributes,
  action: (span: Span) => Promise<Result>,
  /** What tells spans apart and would be too much for a histogram. */
  ofSpan: Attributes = {},
): Promise<Result> {
  return trace.getTracer('statek').startActiveSpan(name, { attributes: { ...attributes, ...ofSpan } }, async (span) => {
    const started = performance.now();
    try {
      return await action(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      span.setAttribute('error.type', errorType(error));
      throw error;
    } finally {
      recordDuration(duration, performance.now() - started, attributes);
      span.end();
    }
  });
}

/** How a call of a tool is named and described. */
export function toolAttributes(tool: string): Attributes {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool };
}

/** How a request to a model is described. */
export function chatAttributes(provider: string, model: string): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  };
}

function errorType(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'unknown';
}
