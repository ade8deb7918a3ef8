/**
 * Looks for the router under each of its addresses in a confirm window, and confirms the change from
 * there. It is a worker of its own because the page was loaded before anyone knew the new addresses: what
 * a worker may connect to is said with its own script, which comes later.
 */

/** A request of the page to the worker. Origins are such as `http://192.168.2.1`. */
export type WorkerRequest =
  | { readonly kind: "watch"; readonly origins: readonly string[]; readonly token: string }
  | { readonly kind: "keep"; readonly origin: string; readonly token: string; readonly id: string }
  | { readonly kind: "rest" };

/** A report of the worker to the page. */
export type WorkerMessage =
  /** Origins that answer for the change now. `over`: where the router knows the token no more. */
  | {
    readonly kind: "answering";
    readonly origins: readonly string[];
    readonly over: readonly string[];
  }
  /** The answer to the confirmation: its status, and the body of a refusal; null when it was lost. */
  | {
    readonly kind: "kept";
    readonly answer: { readonly status: number; readonly text: string } | null;
  };

/** Milliseconds between two probes, and until a probe times out. */
const PROBE_INTERVAL_MS = 1500;
const PROBE_TIMEOUT_MS = 3000;

let turn = 0;

async function ask(origin: string, path: string, init: RequestInit & { token: string }) {
  const { token, ...rest } = init;
  return await fetch(origin + path, {
    ...rest,
    headers: { Authorization: `Bearer ${token}` },
    credentials: "omit",
    cache: "no-store",
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  });
}

/** `over` where the router responds and no longer knows the token. */
async function probe(origin: string, token: string): Promise<"answers" | "over" | "away"> {
  try {
    const answer = await ask(origin, "/changes/window", { token });
    return answer.ok ? "answers" : answer.status === 401 ? "over" : "away";
  } catch {
    return "away";
  }
}

async function watch({ origins, token }: Extract<WorkerRequest, { kind: "watch" }>): Promise<void> {
  const mine = ++turn;
  while (mine === turn) {
    const found = await Promise.all(origins.map((origin) => probe(origin, token)));
    if (mine !== turn) return;
    const those = (what: string) => origins.filter((_, index) => found[index] === what);
    post({ kind: "answering", origins: those("answers"), over: those("over") });
    await new Promise((resolve) => setTimeout(resolve, PROBE_INTERVAL_MS));
  }
}

async function confirm(request: Extract<WorkerRequest, { kind: "keep" }>): Promise<void> {
  const { origin, id, token } = request;
  const path = `/changes/${encodeURIComponent(id)}/confirm`;
  try {
    const answer = await ask(origin, path, { method: "PUT", token });
    const { ok, status } = answer;
    const text = ok ? "" : await answer.text().catch(() => "");
    post({ kind: "kept", answer: { status, text } });
  } catch {
    post({ kind: "kept", answer: null });
  }
}

function post(message: WorkerMessage): void {
  postMessage(message);
}

addEventListener("message", ({ data }: MessageEvent<WorkerRequest>) => {
  if (data.kind === "watch") void watch(data);
  else if (data.kind === "keep") void confirm(data);
  else turn++;
});
