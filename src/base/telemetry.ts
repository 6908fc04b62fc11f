// Metrics and traces for OpenTelemetry; almost free if the application has not set it up. Names follow the semantic
// conventions for generative AI where they exist.
import {
  context,
  isSpanContextValid,
  metrics,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Counter,
  type Histogram,
  type Meter,
  type Span,
} from '@opentelemetry/api';

import type { Redactor } from './redact.ts';

type CounterName =
  | 'statek.jobs.submitted'
  | 'statek.jobs.done'
  | 'statek.jobs.claims'
  | 'statek.jobs.crashes'
  | 'statek.jobs.quarantined'
  | 'statek.jobs.refused'
  | 'statek.schedules.fired'
  | 'statek.slices.slow'
  | 'statek.objects.conflicts';
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

// The application may set up OpenTelemetry after the first use, so instruments are cached per provider.
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

const redactors = new Set<Redactor>();

/** Secrets are taken out of what spans say, until the function that is returned is called. */
export function redactSpans(redactor: Redactor): () => void {
  redactors.add(redactor);
  return () => void redactors.delete(redactor);
}

/** A text as spans may have it. Several kits share one tracer, so that what any of them hides is hidden. */
export function spanText(text: string): string {
  let shown = text;
  for (const redactor of redactors) shown = redactor.text(shown);
  return shown;
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

/** Records tokens sent to or by a model. */
export function recordTokens(tokens: number, type: 'input' | 'output', attributes: Attributes): void {
  histogram('gen_ai.client.token.usage', '{token}').record(tokens, { ...attributes, 'gen_ai.token.type': type });
}

/** Runs an action in a span and records its duration; an exception ends the span as an error. */
export async function traced<Result>(
  name: string,
  duration: DurationName,
  attributes: Attributes,
  action: (span: Span) => Promise<Result>,
  /** Attributes for the span only, whose cardinality is too high for a histogram. */
  spanAttributes: Attributes = {},
): Promise<Result> {
  return trace
    .getTracer('statek')
    .startActiveSpan(name, { attributes: { ...attributes, ...spanAttributes } }, async (span) => {
      const started = performance.now();
      try {
        return await action(span);
      } catch (error) {
        const message = spanText(error instanceof Error ? error.message : String(error));
        span.setStatus({ code: SpanStatusCode.ERROR, message });
        span.setAttribute('error.type', errorType(error));
        throw error;
      } finally {
        recordDuration(duration, performance.now() - started, attributes);
        span.end();
      }
    });
}

/** The span that is active, as W3C `traceparent`, to be kept with what is done later; undefined if there is none. */
export function currentTrace(): string | undefined {
  const span = trace.getSpanContext(context.active());
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Runs an action as a part of a trace that was begun elsewhere, maybe in another process. */
export function inTrace<Result>(traceparent: string | undefined, action: () => Result): Result {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined) return action();
  const traceFlags = Number.parseInt(flags ?? '0', 16);
  return context.with(trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true }), action);
}

/** The attributes of a tool call. */
export function toolAttributes(tool: string): Attributes {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool };
}

/** The attributes of a model request. */
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
