import type { HttpClient } from "./client.ts";
import type { HttpAnswer } from "./connection.ts";
import { asTarget } from "./head.ts";
import type { HttpRequest } from "./sending.ts";

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly text: string;
}

/** A call of a program of ours: its path, and the body that goes with it. */
export interface Call extends Pick<HttpRequest, "method" | "reuse"> {
  readonly path: string;
  /** Text is JSON. */
  readonly body?: string | Uint8Array | undefined;
}

const ENCODER = new TextEncoder();
const HOST = ["host", "127.0.0.1"] as const;
const HEADERS = { none: [HOST], json: [HOST, ["content-type", "application/json"]] } as const;

/**
 * Makes a call and reads its whole answer. Throws the reason of the signal where that ends it, else what
 * {@link HttpClient.ask} throws.
 */
export async function askWhole(
  client: HttpClient,
  { path, body, ...call }: Call,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  const isText = typeof body === "string";
  const request: HttpRequest = {
    ...call,
    target: asTarget(path),
    headers: isText ? HEADERS.json : HEADERS.none,
    body: isText ? ENCODER.encode(body) : body ?? null,
  };
  try {
    signal.throwIfAborted();
    const { status, body: answer } = await client.ask(request, signal);
    return { status, text: await textOf(answer, signal) };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

async function textOf(body: HttpAnswer["body"], signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  if (body === null || body instanceof Uint8Array) return decoder.decode(body ?? undefined);
  const reader = body.getReader();
  const leave = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave);
  try {
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
