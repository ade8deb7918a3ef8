import { useEffect, useRef } from "preact/hooks";

/** Milliseconds before a stream that ended is opened again. */
const RETRY = 3000;

/** What a line of the stream carries. */
interface StreamEvent {
  readonly topic: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly data: unknown;
}

/**
 * Follows events whose names are not known before, which an `EventSource` cannot: calls `onEvent` for
 * each event of the topics that begin with `topics`. Null follows nothing.
 */
export function useStream(topics: string | null, onEvent: (event: StreamEvent) => void): void {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    if (topics === null) return;
    const ending = new AbortController();
    void follow(topics, (event) => latest.current(event), ending.signal);
    return () => ending.abort();
  }, [topics]);
}

async function follow(
  topics: string,
  onEvent: (event: StreamEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const path = `/events?topics=${encodeURIComponent(topics)}`;
      const answer = await fetch(path, { signal, credentials: "same-origin" });
      if (answer.ok && answer.body !== null) await read(answer.body, onEvent);
    } catch {
      // The router is away or the page is left; the one is tried again, the other ends the loop.
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}

async function read(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      const event = JSON.parse(line.slice(6)) as Partial<StreamEvent>;
      if (typeof event.topic === "string") {
        onEvent({ topic: event.topic, at: event.at ?? Date.now(), data: event.data });
      }
    }
  }
}
