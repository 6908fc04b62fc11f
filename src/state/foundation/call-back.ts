// Events for those who would rather be called than iterate.

/** How a subscriber is called. */
export interface EventOptions {
  /** Events after this revision; default: from now on. */
  readonly since?: number | undefined;
  /** Called with what the callback throws, and with what ends the events. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Calls back for each event, one after another; returns a function that stops. A callback that throws harms no other event. */
export function callBack<Event>(
  events: (signal: AbortSignal) => AsyncIterable<Event>,
  callback: (event: Event) => void | Promise<void>,
  onError: (error: unknown) => void = () => undefined,
): () => void {
  const stop = new AbortController();
  void (async () => {
    for await (const event of events(stop.signal)) {
      try {
        await callback(event);
      } catch (error) {
        onError(error);
      }
    }
  })().catch(onError);
  return () => stop.abort();
}
