import { pause } from "../../core/time/pause.ts";
import { Problem } from "../../core/errors/problem.ts";

/** A stream of netd's socket. */
export interface NetdStream {
  readonly http: Deno.HttpClient;
  readonly path: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Longest time between two heartbeats, in seconds. */
  readonly silence: number;
  /** Milliseconds before it is opened again. */
  readonly retry: number;
  /** `again`: it was lost or could not be opened before. */
  readonly onConnected?: (again: boolean) => void;
  /** Called with each line: one JSON value. */
  readonly onLine: (line: string) => void;
  /** Called with netd's refusal, before it is tried again. */
  readonly onRefused?: (problem: Problem) => void;
}

type Timer = ReturnType<typeof setTimeout>;

/** Reads a stream of lines, and opens it again whenever it ends. Never rejects. */
export async function followNetd(stream: NetdStream): Promise<void> {
  let lost = false;
  while (!stream.signal.aborted) {
    try {
      await listen(stream, lost);
    } catch (error) {
      // The connection ended or could not be made: it is made anew.
      if (error instanceof Problem) stream.onRefused?.(error);
    }
    lost = true;
    await pause(stream.retry, stream.signal);
  }
}

/** Reads lines, of which an empty one is a heartbeat, until the stream ends. */
async function listen(stream: NetdStream, lost: boolean): Promise<void> {
  const silence = new AbortController();
  const startTimer = (): Timer => setTimeout(() => silence.abort(), stream.silence * 1000);
  let timer = startTimer();
  try {
    const init: RequestInit & { readonly client: Deno.HttpClient } = {
      signal: AbortSignal.any([silence.signal, stream.signal]),
      client: stream.http,
    };
    const response = await fetch(`http://127.0.0.1${stream.path}`, init);
    if (!response.ok || response.body === null) throw await refusal(response);
    stream.onConnected?.(lost);
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body) {
      clearTimeout(timer);
      timer = startTimer();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") stream.onLine(line);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function refusal(response: Response): Promise<Problem> {
  const answer: unknown = await response.json().catch(() => null);
  const detail = typeof answer === "object" && answer !== null && "detail" in answer
    ? String(answer.detail)
    : `netd refused with status ${response.status}`;
  return new Problem(response.status, detail);
}
