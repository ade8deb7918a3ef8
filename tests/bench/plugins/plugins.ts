import { childOf } from "../../kit/events/many_readers.ts";
import { LAB_PASSWORD } from "../../kit/lab/router.ts";
import { answered, inFolder, startProgram } from "../../kit/process.ts";
import { Connection } from "../connection.ts";
import { median, type Row } from "../table.ts";

/** Connections that ask at once. */
const CONNECTIONS = 16;
/** Length of one round in milliseconds, and how many there are of each. */
const ROUND = 1000;
const ROUNDS = 5;
/** Bytes that pass both ways, and of one chunk. */
const LARGE = 100 << 20, CHUNK = 64 << 10;

/**
 * Requests to a plugin through the router, beside its socket called directly: how many a second, how
 * long one takes, and the memory of the api while a hundred megabytes pass.
 */
export async function plugins(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    const folder = `${home}/state/plugins/sample`;
    const path = `${folder}/socket`;
    await Deno.mkdir(folder, { recursive: true });
    await using plugin = await startPlugin(path);
    await using program = startProgram({
      home,
      environment: { SLUICE_ADMIN_PASSWORD: LAB_PASSWORD },
    });
    await (await answered(program)).body?.cancel();
    const host = program.url.replace("http://", "");
    using first = await Connection.open(host);
    const headers = await first.signIn(LAB_PASSWORD);
    const body = {
      ...{ Name: "sample", URI: "sample", Enabled: true },
      UnixPath: "/state/plugins/sample/socket",
    };
    await first.must(first.request("PUT", "/plugins_api/sample", { headers, body }));
    const request = first.request("GET", "/plugins/sample/count", { headers });
    // The link to the socket is laid once the process for it has started.
    while ((await first.ask(request)).status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const proxied: Target = {
      open: () => Connection.open(host),
      path: "/plugins/sample/count",
      headers,
    };
    const direct: Target = { open: () => Connection.openUnix(path), path: "/count", headers: {} };
    const own: Target = { open: () => Connection.open(host), path: "/status", headers };
    const rates = { proxied: [] as number[], direct: [] as number[] };
    const worked = { proxied: [] as number[], own: [] as number[] };
    const api = await childOf(program.pid);
    const workOf = async (target: Target): Promise<readonly [rate: number, work: number]> => {
      const before = await processorTime(api), found = await rate(target, CONNECTIONS);
      return [found, (await processorTime(api) - before) / (found * ROUND / 1000)];
    };
    await rate(proxied, CONNECTIONS);
    for (let round = 0; round < ROUNDS; round++) {
      const [answers, work] = await workOf(proxied);
      rates.proxied.push(answers);
      worked.proxied.push(work);
      worked.own.push((await workOf(own))[1]);
      rates.direct.push(await rate(direct, CONNECTIONS));
    }
    const single = {
      proxied: 1000 / await rate(proxied, 1),
      direct: 1000 / await rate(direct, 1),
    };
    const memory = await transfers(`${program.url}/plugins/sample`, headers.cookie, api);
    void plugin;
    const beside = "the plugin's socket, called directly";
    return [
      {
        what: `requests to a plugin, ${CONNECTIONS} connections`,
        ours: median(rates.proxied),
        baseline: median(rates.direct),
        unit: "/s",
        beside,
      },
      {
        what: "one request to a plugin, one connection",
        ours: single.proxied,
        baseline: single.direct,
        unit: "ms",
        beside,
      },
      {
        what: "processor time of the api for a request",
        ours: median(worked.proxied),
        baseline: median(worked.own),
        unit: "ms",
        beside: "GET /status",
      },
      ...memory.map(({ what, before, most }): Row => ({
        what: `memory of the api while 100 MB ${what}`,
        ours: most,
        baseline: before,
        unit: "MB",
        beside: "before that",
        aim: 1.25,
      })),
    ];
  });
}

interface Target {
  readonly open: () => Promise<Connection>;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers a second over several kept connections. */
async function rate({ open, path, headers }: Target, count: number): Promise<number> {
  const connections = await Promise.all(Array.from({ length: count }, open));
  const started = performance.now();
  let answers = 0;
  await Promise.all(connections.map(async (connection) => {
    const request = connection.request("GET", path, { headers });
    while (performance.now() - started < ROUND) {
      await connection.must(request);
      answers++;
    }
  }));
  const seconds = (performance.now() - started) / 1000;
  for (const connection of connections) connection[Symbol.dispose]();
  return answers / seconds;
}

interface Transfer {
  readonly what: string;
  /** Megabytes that the api held. */
  readonly before: number;
  readonly most: number;
}

/** How much the api holds while a large body is sent, fetched, and both at once. */
async function transfers(url: string, cookie: string, api: number): Promise<readonly Transfer[]> {
  const found: Transfer[] = [];
  for (
    const [what, path, sends] of [
      ["are sent", "/size", true],
      ["are fetched", "/zeros", false],
      ["pass both ways", "/large", true],
    ] as const
  ) {
    const before = await held(api);
    const watched = watch(api, before);
    const response = await fetch(`${url}${path}`, {
      headers: { cookie, ...(sends ? { "content-type": "application/json" } : {}) },
      ...(sends ? { method: "POST", body: largeBody() } : {}),
    });
    let size = 0;
    for await (const part of response.body!) size += part.length;
    const expected = path === "/size" ? String(LARGE).length : LARGE;
    if (size !== expected) throw new Error(`${size} bytes came back: ${response.status}`);
    found.push({ what, before, most: await watched() });
  }
  return found;
}

/** Looks at the memory of a process until the most of it is asked for. */
function watch(pid: number, before: number): () => Promise<number> {
  let most = before;
  const look = async (): Promise<void> => void (most = Math.max(most, await held(pid)));
  const timer = setInterval(() => void look(), 20);
  return async () => {
    clearInterval(timer);
    await look();
    return most;
  };
}

function largeBody(): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunk = new Uint8Array(CHUNK);
  let left = LARGE;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(chunk);
      left -= CHUNK;
    },
  });
}

/** Milliseconds that a process has worked. */
async function processorTime(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function held(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024;
}

async function startPlugin(path: string): Promise<AsyncDisposable> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${import.meta.dirname}/plugin_program.ts`, path],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.stdout.cancel();
      await child.status;
    },
  };
}
