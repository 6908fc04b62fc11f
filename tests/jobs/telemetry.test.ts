// What an application that set OpenTelemetry up sees of jobs, calls and models.
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { TracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { afterAll, expect, it } from 'vitest';
import { Agent, program } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { openKit } from '../workspace/support/kits.ts';

const spans = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 });

const coder = program({ role: 'coder', source: 'await book(1)' });
const book = async (room: number): Promise<string> => {
  // Spans of the application's own belong to the call.
  trace.getTracer('application').startSpan('inside').end();
  return `booked ${room}`;
};

async function bookOnce(): Promise<void> {
  const kit = await openKit({ drivers: [coder], services: { book } });
  await (await kit.submit(coder, { vars: { book } })).result();
}

function setUp(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
}

afterAll(() => {
  trace.disable();
  metrics.disable();
  context.disable();
});

async function metricNames(): Promise<Record<string, number>> {
  await reader.forceFlush();
  const found = (measured.getMetrics().at(-1)?.scopeMetrics ?? []).flatMap(({ metrics: all }) => all);
  return Object.fromEntries(
    found.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      dataPoints.reduce((sum, { value }) => sum + (typeof value === 'number' ? value : value.count), 0),
    ]),
  );
}

it('traces steps and calls, counts jobs and times them', async () => {
  // Used before the application has set anything up: that must not be remembered.
  await bookOnce();
  setUp();
  await bookOnce();
  const names = spans.getFinishedSpans().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['statek.step', 'execute_tool book', 'inside', 'statek.resume']));
  const call = spans.getFinishedSpans().find(({ name }) => name === 'execute_tool book');
  const inside = spans.getFinishedSpans().find(({ name }) => name === 'inside');
  expect(call?.attributes).toEqual({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'book' });
  expect(inside?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
  expect(await metricNames()).toMatchObject({
    'statek.jobs.submitted': 1,
    'statek.jobs.done': 1,
    'statek.job.duration': 1,
    'statek.call.duration': 1,
  });
});

it('traces requests to models, and counts their tokens', async () => {
  const model = scriptedModel(['```ts\nexit(1)\n```']);
  const agent = new Agent({ role: 'one', systemPrompt: 'Be brief.', metadata: { MODEL: 'test/one' } });
  const kit = await openKit({ agents: [agent], models: { models: { 'test/one': model } } });
  await (await kit.submit(agent, { message: 'Go' })).result();
  const chat = spans.getFinishedSpans().find(({ name }) => name.startsWith('chat '));
  expect(chat?.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat' });
  expect(chat?.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0);
  expect(await metricNames()).toMatchObject({ 'gen_ai.client.token.usage': 2, 'gen_ai.client.operation.duration': 1 });
});
