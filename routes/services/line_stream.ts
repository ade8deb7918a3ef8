const HEARTBEAT_INTERVAL_MS = 5000;
/** Queued lines of a reader; one that falls further behind is disconnected, and reads all anew. */
const MAX_QUEUED_LINES = 4096;

/**
 * A response of one JSON value a line; empty lines are heartbeats. `start` begins to send and returns
 * what ends that. `streams` holds what ends the open ones.
 */
export function lineStream(
  streams: Set<() => void>,
  start: (send: (value: unknown) => void) => () => void,
): Response {
  const encoder = new TextEncoder();
  let end = (): void => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller): void {
      const write = (text: string): void => {
        if ((controller.desiredSize ?? 0) < -MAX_QUEUED_LINES) end();
        else controller.enqueue(encoder.encode(text));
      };
      const stop = start((value) => write(`${JSON.stringify(value)}\n`));
      const timer = setInterval(() => write("\n"), HEARTBEAT_INTERVAL_MS);
      write("\n");
      end = (): void => {
        if (!streams.delete(end)) return;
        stop();
        clearInterval(timer);
        try {
          controller.close();
        } catch {
          // The reader has gone and taken the stream with it.
        }
      };
      streams.add(end);
    },
    cancel(): void {
      end();
    },
  });
  return new Response(stream, { headers: { "content-type": "application/x-ndjson" } });
}
