import { fileURLToPath } from "node:url";
import "./fakes/quick_hash.ts";
import type { Config } from "../../system/config.ts";
import { Bus } from "../../system/core/events/bus.ts";
import { prepareHome } from "../../system/core/config/home.ts";
import { STATE_FOLDERS } from "../../system/processes.ts";
import { openLog } from "../../system/core/log/log.ts";
import { type MemoryHost, memoryHost } from "../../system/host/memory/host.ts";
import { isRestrictive } from "../../system/firewall/sets/transition.ts";
import type { Peer } from "../../routes/http/peer.ts";
import { externalOpenApi, internalOpenApi } from "../../routes/openapi/described.ts";
import { type CheckAnswer, describedAnswers } from "./described_answers.ts";
import { openRouter, type Router } from "../../routes/composition/router.ts";
import type { RouterOptions } from "../../routes/composition/router_options.ts";
import { topicOf } from "../../system/events/topics/topics.ts";

const VERSIONS = { api: "0.3.0", program: "0.0.0" };
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Password of the admin in tests. */
export const PASSWORD = "a password: with a colon";

/** `Authorization` of Basic credentials. */
export function basic(user = "admin", password = PASSWORD): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** One request to a {@link TestRouter}. */
export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** `Authorization`; default the admin's, null none. */
  readonly as?: string | null;
  readonly peer?: Partial<Peer>;
  /** Aborts when the caller is gone. */
  readonly signal?: AbortSignal;
}

/** The whole management plane over a temporary home and a model of the kernel. */
export interface TestRouter extends Router, AsyncDisposable {
  readonly home: string;
  readonly host: MemoryHost;
  ask(method: string, path: string, options?: Ask): Promise<Response>;
  /** Asks, expects success and gives the JSON answer. */
  json<T = unknown>(method: string, path: string, options?: Ask): Promise<T>;
  /** Asks an internal socket. */
  inside(
    socket: keyof Router["internal"],
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Response>;
  /** Ends it and opens it again over the same home. */
  reopen(options?: Partial<RouterOptions>): Promise<TestRouter>;
}

/** What a test may set. */
export interface TestRouterOptions extends Partial<Omit<RouterOptions, "host" | "home">> {
  readonly host?: MemoryHost;
  readonly home?: string;
  /** Files of `configs/` that are there at the first start, by path. */
  readonly files?: Readonly<Record<string, unknown>>;
}

/** A wired network: one static uplink and two downlinks. */
export const WIRED: readonly Partial<Config["interfaces"][number]>[] = [
  {
    Name: "wan0",
    Type: "Uplink",
    Enabled: true,
    DisableDHCP: true,
    IP: "203.0.113.2/24",
    Router: "203.0.113.1",
  },
  { Name: "lan0", Type: "Downlink", Enabled: true },
  { Name: "lan1", Type: "Downlink", Enabled: true },
];

/** The documents depend on nothing that a router stands on, so that one of each serves all tests. */
const external = describedAnswers(() => externalOpenApi(VERSIONS));
const sockets = new Map<string, CheckAnswer>();

function internal(socket: keyof Router["internal"]): CheckAnswer {
  let check = sockets.get(socket);
  if (!check) {
    check = describedAnswers(() => internalOpenApi(socket, VERSIONS));
    sockets.set(socket, check);
  }
  return check;
}

/** An app whose every answer is held to the API document. */
function checked<Rest extends unknown[]>(
  fetch: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  check: CheckAnswer,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const { method, url } = request;
    const response = await fetch(request, ...rest);
    await check(method, url, response);
    return response;
  };
}

/** Opens a router for a test; dispose it with `await using`. */
export async function testRouter(options: TestRouterOptions = {}): Promise<TestRouter> {
  const home = options.home ?? await Deno.makeTempDir({ prefix: "sluice-test-" });
  await prepareHome({ root: ROOT, home }, STATE_FOLDERS);
  const files = { "base/interfaces.json": WIRED, ...options.files };
  if (options.home === undefined) {
    for (const [path, value] of Object.entries(files)) {
      await Deno.writeTextFile(`${home}/configs/${path}`, JSON.stringify(value));
    }
  }
  const host = options.host ?? memoryHost({ isRestrictive });
  const router = await openRouter({
    log: openLog({ process: "test", human: false, level: "error", write: () => {} }),
    bus: new Bus(),
    adminPassword: PASSWORD,
    app: {
      ui: new Map(),
      versions: VERSIONS,
      names: () => new Set(["router.lan"]),
    },
    ...options,
    engine: { live: false, ...options.engine },
    access: { watch: false, ...options.access },
    home,
    host,
  });
  router.external.fetch = checked(router.external.fetch, external);
  for (const [name, app] of Object.entries(router.internal)) {
    app.fetch = checked(app.fetch, internal(name as keyof Router["internal"]));
  }
  const faults = watchPublished(router.bus);
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await router.close();
    if (faults.length > 0) throw new Error(`Events are not as documented:\n${faults.join("\n")}`);
  };
  const ask = async (method: string, path: string, sent: Ask = {}): Promise<Response> => {
    const headers = new Headers({ host: "192.168.2.1", ...sent.headers });
    const as = sent.as === undefined ? basic() : sent.as;
    if (as !== null) headers.set("authorization", as);
    if (sent.body !== undefined && !headers.has("content-type")) {
      headers.set("content-type", "application/json");
    }
    const peer: Peer = { source: "127.0.0.1", port: 40000, local: null, tls: false, ...sent.peer };
    const body = sent.body === undefined
      ? null
      : typeof sent.body === "string" && headers.get("x-raw") === "1"
      ? sent.body
      : JSON.stringify(sent.body);
    return await router.external.fetch(
      new Request(`http://192.168.2.1${path}`, {
        method,
        headers,
        body,
        ...(sent.signal === undefined ? {} : { signal: sent.signal }),
      }),
      { peer },
    );
  };
  return {
    ...router,
    home,
    host,
    ask,
    async json<T>(method: string, path: string, sent: Ask = {}): Promise<T> {
      const answer = await ask(method, path, sent);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
      return JSON.parse(text);
    },
    async inside(socket, method, path, body) {
      return await router.internal[socket].fetch(
        new Request(`http://127.0.0.1${path}`, {
          method,
          body: body === undefined ? null : JSON.stringify(body),
        }),
      );
    },
    async reopen(again = {}) {
      await close();
      return await testRouter({ ...options, ...again, home, host } as TestRouterOptions);
    },
    close,
    async [Symbol.asyncDispose]() {
      await close();
      await Deno.remove(home, { recursive: true });
    },
  };
}

/**
 * Holds what the program publishes to the table of topics: an event of a topic that the table has must
 * be as its schema says. Answers what was wrong.
 */
function watchPublished(bus: Bus): readonly string[] {
  const faults: string[] = [];
  bus.subscribe(({ topic, data }) => {
    const known = topicOf(topic);
    if (known === null) return;
    const parsed = known.payload.safeParse(JSON.parse(JSON.stringify(data)));
    if (!parsed.success) faults.push(`${topic} ${JSON.stringify(data)}: ${parsed.error.message}`);
  });
  return faults;
}
