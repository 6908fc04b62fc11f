// One trace from a client's request to what the job does, whichever process does it.
import { context, propagation, trace, type Context, type TextMapPropagator } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Agent, Statek } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { server, type AccessLogEntry } from '../../src/server.ts';

const token = 'token-for-the-tests';
const spans = new InMemorySpanExporter();

/** Reads the W3C header, as the propagators do that applications set up. */
const w3c: TextMapPropagator = {
  inject: () => undefined,
  fields: () => ['traceparent'],
  extract: (into: Context, carrier, getter) => {
    const [, traceId = '', spanId = ''] = String(getter.get(carrier, 'traceparent') ?? '').split('-');
    return traceId === '' ? into : trace.setSpanContext(into, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
};

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(w3c);
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
});

afterAll(() => {
  trace.disable();
  propagation.disable();
  context.disable();
});

it('joins a request, the job it submits and the calls of the job in one trace, and logs each request', async () => {
  const book = async (room: number): Promise<string> => `booked ${room}`;
  const script = scriptedModel(['```ts\nexit(await book(1))\n```']);
  const booking = new Agent({ role: 'booking', tools: { book }, metadata: { MODEL: 'script' } });
  const entries: AccessLogEntry[] = [];
  const kit = await Statek.open({ store: 'memory:', agents: [booking], models: { models: { script } } });
  const { url, close } = await server(kit, { token, log: (entry) => entries.push(entry) }).listen();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    'x-request-id': 'request-7',
  };
  const put = async (id: string, body: unknown): Promise<Response> =>
    fetch(`${url}v1/jobs/${id}`, { method: 'PUT', headers, body: JSON.stringify(body) });
  const answer = await put('b', { role: 'booking', message: 'Book.' });
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, 'request-7']);
  // Not in the request: a worker finds the job later.
  await kit.runUntilIdle();
  expect((await put('b', { role: 'booking', vars: { room: 2 } })).status).toBe(409);
  await close();
  await kit.close();

  const found = (name: string) => spans.getFinishedSpans().find((span) => span.name === name);
  const request = found('PUT /v1/jobs/{id}');
  const step = found('statek.step');
  expect(request?.spanContext().traceId).toBe(traceId);
  expect(request?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(request?.attributes).toMatchObject({ 'http.route': '/v1/jobs/{id}', 'statek.job.id': 'b' });
  expect(step?.spanContext().traceId).toBe(traceId);
  expect(step?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
  const names = spans.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
  expect(names.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['execute_tool booking.book', expect.stringMatching(/^chat /)]),
  );
  expect(entries).toMatchObject([
    { requestId: 'request-7', caller: 'owner', method: 'PUT', route: '/v1/jobs/{id}', status: 200 },
    { status: 409 },
  ]);
});
