import { buildLab, type Lab } from "../kit/lab.ts";
import { eventually, give } from "../kit/lab_bed.ts";
import { command, must } from "../kit/lab_command.ts";
import { dig } from "../kit/lab_names.ts";
import { type LabRouter, startRouter } from "../kit/lab_router.ts";
import { load, type LoadResult, resident } from "./dns_load.ts";
import {
  BLOCKED,
  blockedName,
  homeAddress,
  HOMES,
  LAN,
  startMasq,
  type StartOther,
  startUnbound,
} from "./dns_others.ts";
import { say } from "./say.ts";
import type { Row } from "./table.ts";

/** The resolver outside that all ask. */
const RESOLVER = "198.51.100.53";
/** Names that are remembered, and how many others are asked for. */
const REMEMBERED = 2000, NEW = 400_000, MIXED = 300_000;
const SECONDS = 3;
/** Questions in a second of a busy home, at which waiting is measured. */
const HOME_PACE = 5000;

/** A server under load. */
interface Server {
  readonly name: string;
  readonly lab: Lab;
  readonly pid: number;
}

/** A kind of question. */
interface Kind {
  readonly what: string;
  readonly file: string;
  readonly code?: string;
  /** Asked for once before it is measured. */
  readonly warm: boolean;
}

/**
 * Names of home, remembered, blocked and new ones and a mix of them over UDP, beside dnsmasq and
 * unbound with the same million blocked names; ours with its policies and its log besides.
 */
export async function dns(): Promise<readonly Row[]> {
  for (const tool of ["dnsperf", "dnsmasq", "unbound"]) {
    if ((await command("which", [tool])).stdout.trim() !== "") continue;
    say(
      `SKIPPED: answers for names are measured with dnsperf beside dnsmasq and unbound; no ${tool}`,
    );
    return [];
  }
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-dns-" });
  const labs: Lab[] = [];
  let router: LabRouter | null = null;
  try {
    const lab = async (name: string): Promise<Lab> => {
      const made = await buildLab({ name, clients: 1 });
      labs.push(made);
      await must("ip", ["-n", made.space("wan"), "address", "add", `${RESOLVER}/32`, "dev", "lo"]);
      await made.deno("wan", `${import.meta.dirname}/dns_upstream.ts`, [RESOLVER]).line(/^ready$/);
      return made;
    };
    const home = await lab("benchdns");
    router = await startOurs(home);
    const servers: Server[] = [{ name: "ours", lab: home, pid: await processOf(home) }];
    const others: readonly (readonly [string, StartOther])[] = [
      ["dnsmasq", startMasq],
      ["unbound", startUnbound],
    ];
    for (const [name, start] of others) {
      const made = await lab(`bench${name.slice(0, 4)}`);
      const { pid } = await start(made, folder, RESOLVER);
      await blocks(made);
      servers.push({ name, lab: made, pid });
    }
    return await compare(servers, await questions(folder));
  } finally {
    await router?.close();
    for (const one of labs) await one.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function startOurs(lab: Lab): Promise<LabRouter> {
  const provider = { IPAddress: RESOLVER, TLSHost: "", DisableTls: true };
  const files = {
    "base/dns.json": { UpstreamProviders: [provider], FamilyProviders: [provider] },
    "dns/hostnames.json": Array.from(
      { length: HOMES },
      (_, i) => ({ Hostname: `h${i}.lan`, IPAddress: homeAddress(i) }),
    ),
  };
  const router = await startRouter(lab, { services: "dnsd", files });
  try {
    const client = lab.clients[0]!;
    await router.lease(client);
    await give(router, client.mac, { Policies: ["dns"] });
    const names = Array.from({ length: BLOCKED }, (_, i) => `${blockedName(i)}\n`);
    const body = { Text: names.join("") };
    const answer = await router.api("PUT", "/plugins/dns/block/upload/bench", { body });
    if (answer.status !== 200) throw new Error(`The list was not taken: ${answer.text}`);
    await blocks(lab);
    return router;
  } catch (error) {
    await router.close();
    throw error;
  }
}

/** Waits until the last name of the list is blocked. */
async function blocks(lab: Lab): Promise<void> {
  const name = blockedName(BLOCKED - 1);
  const blocked = async (): Promise<boolean> =>
    (await dig(lab, "a", LAN, name)).status === "NXDOMAIN";
  await eventually(`${name} is blocked`, blocked, 60);
}

async function processOf(lab: Lab): Promise<number> {
  const pids = (await must("ip", ["netns", "pids", lab.space("router")])).trim().split("\n");
  for (const pid of pids) {
    const line = (await Deno.readTextFile(`/proc/${pid}/cmdline`)).split("\0");
    if (line[line.findIndex((word) => word.endsWith("main.ts")) + 1] === "dnsd") return Number(pid);
  }
  throw new Error("dnsd does not run");
}

async function questions(folder: string): Promise<readonly Kind[]> {
  const write = async (
    what: string,
    count: number,
    name: (i: number) => string,
    more: Pick<Kind, "warm" | "code">,
  ): Promise<Kind> => {
    const file = `${folder}/${what.replaceAll(" ", "_")}`;
    const lines = Array.from({ length: count }, (_, i) => `${name(i)} A\n`);
    await Deno.writeTextFile(file, lines.join(""));
    return { what, file, ...more };
  };
  const good = { code: "NOERROR", warm: true };
  const blocked = (i: number): string => blockedName(i * 7919 % BLOCKED);
  // Of a hundred names 20 are blocked, 65 remembered and 15 new, in no order that helps anyone.
  const mixed = (i: number): string => {
    const part = i * 37 % 100;
    if (part < 20) return blocked(i);
    return part < 85 ? `old${i * 31 % REMEMBERED}.example.test` : `mix${i}.example.test`;
  };
  return [
    await write("names of home", HOMES, (i) => `h${i}.lan`, good),
    await write("remembered names", REMEMBERED, (i) => `old${i}.example.test`, good),
    await write("blocked names", 100_000, blocked, { code: "NXDOMAIN", warm: true }),
    await write("new names", NEW, (i) => `new${i}.example.test`, { code: "NOERROR", warm: false }),
    await write("mixed names", MIXED, mixed, { warm: false }),
  ];
}

async function compare(
  servers: readonly Server[],
  kinds: readonly Kind[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const ask = async ({ name, lab, pid }: Server, kind: Kind, every?: number) => {
    const base = { lab, server: LAN, pid, names: kind.file };
    const code = kind.code === undefined ? {} : { code: kind.code };
    if (kind.warm && every === undefined) await load({ ...base, seconds: 2 });
    const pace = every === undefined ? {} : { every };
    const result = await load({ ...base, ...code, ...pace, seconds: SECONDS });
    const { lost, wrong } = result;
    if (lost + wrong > 0) say(`${name}, ${kind.what}: ${lost} unanswered, ${wrong} wrong`);
    return result;
  };
  const beside = (what: string, unit: Row["unit"], values: readonly number[]): void => {
    const [ours, ...rest] = values;
    rest.forEach((baseline, i) =>
      rows.push({ what, unit, ours: ours!, baseline, beside: servers[i + 1]!.name })
    );
  };
  const of = async (kind: Kind, every?: number): Promise<readonly LoadResult[]> => {
    const results: LoadResult[] = [];
    for (const server of servers) results.push(await ask(server, kind, every));
    return results;
  };
  for (const kind of kinds) {
    const results = await of(kind);
    beside(kind.what, "/s", results.map(({ rate }) => rate));
    beside(`${kind.what}, processor`, "ns", results.map(({ each }) => each));
  }
  const paced = await of(kinds[1]!, HOME_PACE);
  beside(`99 of 100 at ${HOME_PACE}/s within`, "ms", paced.map(({ late }) => late));
  const memory = await Promise.all(servers.map(({ pid }) => resident(pid)));
  beside("memory with a million names", "MB", memory);
  return rows;
}
