import { fileURLToPath } from "node:url";
import { writeLargeHome } from "../kit/builders/large_home.ts";
import { buildLab } from "../kit/lab/lab.ts";
import { LAB_PASSWORD, startRouter } from "../kit/lab/router.ts";
import { inFolder, until } from "../kit/process.ts";
import { Connection } from "./connection.ts";
import { print } from "./print.ts";
import { startScript } from "./script.ts";
import { median, type Row } from "./table.ts";

const DEVICES = 250;
const TIMES = 150;
const WARM_UP = 30;
/** Milliseconds that an answer may take longer than the same bytes from a bare server. */
const MOST_MS = 1.5;
const PATHS = ["/status", "/groups", "/arp", "/nftables", "/ip/addr"];

interface Measured {
  readonly path: string;
  readonly kind: "session" | "password";
  readonly bytes: number;
  readonly ours: number;
  readonly bare: number;
}

/** Small answers of a router of 250 devices on the kernel, beside a bare server of the same bytes. */
export async function smallGets(): Promise<readonly Row[]> {
  return await inFolder(async (home) => {
    await writeLargeHome(home, { devices: DEVICES, groups: 20, link: "cl-a" });
    const lab = await buildLab({ clients: 1, name: "benchget" });
    try {
      const router = await startRouter(lab, { home });
      try {
        await until(
          "the network is applied",
          async () => (await router.api("GET", "/network")).json.state === "applied",
        );
        // This module as a program in the router's namespace, so that no relay is measured.
        const args = ["run", "-q", "-A", fileURLToPath(import.meta.url), "127.0.0.1:80", home];
        const measured: readonly Measured[] = JSON.parse(
          await lab.must("router", Deno.execPath(), args),
        );
        return measured.map(({ path, kind, bytes, ours, bare }) => ({
          what: `GET ${path}, ${kind}`,
          ours,
          baseline: bare,
          unit: "ms",
          beside: `bare Deno.serve, the same ${bytes} bytes; at most ${MOST_MS} ms more`,
          aim: (bare + MOST_MS) / bare,
        }));
      } finally {
        await router.close();
      }
    } finally {
      await lab.close();
    }
  });
}

async function measure(host: string, folder: string): Promise<readonly Measured[]> {
  using ours = await Connection.open(host);
  const session = await ours.signIn(LAB_PASSWORD);
  const password = { authorization: `Basic ${btoa(`admin:${LAB_PASSWORD}`)}` };
  const measured: Measured[] = [];
  for (const path of PATHS) {
    const { body } = await ours.must(ours.request("GET", path, { headers: session }));
    await Deno.writeFile(`${folder}/answer`, body);
    await using script = await startScript("bare_server.ts", [`${folder}/answer`]);
    using bare = await Connection.open(script.host);
    for (const [kind, headers] of Object.entries({ session, password })) {
      const times = { ours: [] as number[], bare: [] as number[] };
      for (let turn = 0; turn < WARM_UP + TIMES; turn++) {
        const one = await timed(ours, ours.request("GET", path, { headers }));
        const other = await timed(bare, bare.request("GET", path, { headers }));
        if (turn < WARM_UP) continue;
        times.ours.push(one);
        times.bare.push(other);
      }
      measured.push({
        ...{ path, kind: kind as Measured["kind"], bytes: body.length },
        ...{ ours: median(times.ours), bare: median(times.bare) },
      });
    }
  }
  return measured;
}

async function timed(connection: Connection, request: Uint8Array): Promise<number> {
  const began = performance.now();
  await connection.must(request);
  return performance.now() - began;
}

if (import.meta.main) print(JSON.stringify(await measure(Deno.args[0]!, Deno.args[1]!)));
