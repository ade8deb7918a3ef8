import { queryFiles, type QueryKind } from "./query_kinds.ts";
import { load, type LoadResult, resident } from "./load.ts";
import { LAN, startMasq, startUnbound, startUnboundTls } from "./other_servers.ts";
import { ground, type Server, startOther, startOurs } from "./servers.ts";
import { print } from "../print.ts";
import type { Row } from "../table.ts";

/** Seconds of each load, and of the one before it. */
const SECONDS = 4, WARM = 2;
/** Queries per second of a network and of a very busy one, at which latency is measured. */
const PACES = [500, 5000];
/** Beside unbound: the 99th percentile and the processor time per query at these. */
const PACED_AIM = 1.2;

/**
 * Local, cached, blocked and new names and a mix of them over UDP, beside dnsmasq and
 * unbound (one thread) with the same million blocked names behind the same packet filter; ours with
 * its policies and its log besides. New names are also forwarded over TLS, which dnsmasq cannot.
 */
export async function dns(): Promise<readonly Row[]> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-dns-" });
  const servers: Server[] = [];
  try {
    const at = await ground(folder);
    servers.push(await startOurs(at));
    servers.push(await startOther("dnsmasq", at, { start: startMasq }));
    servers.push(
      await startOther("unbound", at, { start: startUnbound, secure: startUnboundTls }),
    );
    return await compare(servers, await queryFiles(folder));
  } finally {
    for (const { router, lab } of servers) {
      await router.close();
      await lab.close();
    }
    await Deno.remove(folder, { recursive: true });
  }
}

async function compare(
  servers: readonly Server[],
  kinds: readonly QueryKind[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const row = (
    what: string,
    unit: Row["unit"],
    of: (index: number) => number,
    aim?: number,
  ): void => {
    servers.slice(1).forEach(({ name }, i) => {
      const baseline = of(i + 1);
      if (!Number.isNaN(baseline)) {
        const aimed = aim === undefined || name !== "unbound" ? {} : { aim };
        rows.push({ what, unit, ours: of(0), baseline, beside: name, ...aimed });
      }
    });
  };
  const memory = (what: string, values: readonly number[]): void =>
    row(what, "MB", (index) => values[index]!);
  row("start to the first answer", "ms", (index) => servers[index]!.ready * 1000);
  memory("memory with a million names", await memories(servers));
  for (const kind of kinds) {
    if (kind.what.endsWith("TLS")) {
      memory("memory after all that", await memories(servers));
      for (const { secure } of servers) await secure?.();
    }
    const results = await inTurn(servers, kind);
    row(kind.what, "/s", (index) => results[index]?.rate ?? NaN);
    row(`${kind.what}, processor`, "ns", (index) => results[index]?.each ?? NaN);
    if (kind.what !== "cached names") continue;
    for (const pace of PACES) {
      const paced = await inTurn(servers, kind, pace);
      const what = `${pace}/s of them`;
      row(`${what}, half within`, "ms", (index) => paced[index]?.middle ?? NaN);
      row(`${what}, 99 of 100 within`, "ms", (index) => paced[index]?.late ?? NaN, PACED_AIM);
      row(`${what}, processor`, "ns", (index) => paced[index]?.each ?? NaN, PACED_AIM);
    }
  }
  return rows;
}

function memories(servers: readonly Server[]): Promise<readonly number[]> {
  return Promise.all(servers.map(({ pid }) => resident(pid)));
}

/** Loads one server after the other; null for one without support. */
async function inTurn(
  servers: readonly Server[],
  kind: QueryKind,
  every?: number,
): Promise<readonly (LoadResult | null)[]> {
  const results: (LoadResult | null)[] = [];
  for (const { name, lab, pid, secure } of servers) {
    if (kind.what.endsWith("TLS") && secure === null) {
      results.push(null);
      continue;
    }
    const base = { lab, server: LAN, pid };
    await load({ ...base, names: kind.warm, seconds: WARM });
    const code = kind.code === undefined ? {} : { code: kind.code };
    const pace = every === undefined ? {} : { every };
    const result = await load({ ...base, ...code, ...pace, names: kind.file, seconds: SECONDS });
    const { lost, wrong, kernel } = result;
    print(
      `${name}, ${kind.what}: ${Math.round(kernel * 100)} % of its time in the kernel` +
        (lost + wrong > 0 ? `; ${lost} unanswered, ${wrong} wrong` : ""),
    );
    results.push(result);
  }
  return results;
}
