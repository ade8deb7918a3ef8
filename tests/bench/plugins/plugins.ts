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
    const rates = { proxied: [] as number[], direct: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      rates.proxied.push(await rate(proxied, CONNECTIONS));
      rates.direct.push(await rate(direct, CONNECTIONS));
    }
    const single = {
      proxied: 1000 / await rate(proxied, 1),
      direct: 1000 / await rate(direct, 1),
    };
    const memory = await transfer(
      `${program.url}/plugins/sample/large`,
      headers.cookie,
      program.pid,
    );
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
        what: "memory of the api while 100 MB pass both ways",
        ours: memory.most,
        baseline: memory.before,
        unit: "MB",
        beside: "before that",
        aim: 1.5,
      },
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

/** Megabytes that the api holds before, and at most while a large body goes there and comes back. */
async function transfer(
  url: string,
  cookie: string,
  launcher: number,
): Promise<{ readonly before: number; readonly most: number }> {
  const api = await childOf(launcher);
  const before = await held(api);
  let most = before, left = LARGE;
  const chunk = new Uint8Array(CHUNK);
  const response = await fetch(url, {
    method: "POST",
    headers: { cookie, "content-type": "application/json" },
    body: new ReadableStream({
      pull(controller) {
        if (left <= 0) return controller.close();
        controller.enqueue(chunk);
        left -= CHUNK;
      },
    }),
  });
  let size = 0, next = 0;
  for await (const part of response.body!) {
    size += part.length;
    if (size < next) continue;
    next = size + (4 << 20);
    most = Math.max(most, await held(api));
  }
  if (size < LARGE) throw new Error(`${size} bytes came back: ${response.status}`);
  return { before, most };
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
