import { buildLab, type Lab } from "../../kit/lab/lab.ts";
import { give } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { certificate, dig } from "../../kit/lab/dig.ts";
import { type LabRouter, startRouter } from "../../kit/lab/router.ts";
import {
  BLOCKED,
  blockedName,
  LAN,
  LOCAL_NAMES,
  localAddress,
  SECURE,
  SECURE_NAME,
  type StartOther,
  UNBOUND,
} from "./other_servers.ts";

/** The resolver outside that is asked without TLS. */
const RESOLVER = "198.51.100.53";

/** A server under load, in a lab with a router of its own. */
export interface Server {
  readonly name: string;
  readonly lab: Lab;
  readonly router: LabRouter;
  /** Its process; another after a start anew. */
  pid: number;
  /** Seconds from the start of its process, or the end of the one before, to its first right answer. */
  readonly ready: number;
  /** Has it ask the resolver with TLS; null where it cannot. */
  readonly secure: (() => Promise<void>) | null;
}

/** What all servers have: a folder, and the authority and certificate of the resolver with TLS. */
export interface Ground {
  readonly folder: string;
  readonly certificate: Awaited<ReturnType<typeof certificate>>;
}

/** Makes a folder's certificate. */
export async function ground(folder: string): Promise<Ground> {
  return { folder, certificate: await certificate(folder, SECURE_NAME) };
}

/**
 * A lab whose router has the rules of Sluice, so that packets cost the same with every server, and
 * resolvers outside that answer more quickly than any of them asks.
 */
async function made(name: string, { folder, certificate: { cert, key } }: Ground): Promise<Lab> {
  const lab = await buildLab({ name, clients: 1 });
  try {
    const wan = lab.space("wan");
    for (const address of [RESOLVER, SECURE]) {
      await must("ip", ["-n", wan, "address", "add", `${address}/32`, "dev", "lo"]);
    }
    await lab.deno("wan", `${import.meta.dirname}/upstream.ts`, [RESOLVER]).line(/^ready$/);
    const file = `${folder}/${name}-secure.conf`;
    await Deno.writeTextFile(file, secureResolver(cert, key));
    lab.spawn("wan", "unbound", ["-d", "-c", file]);
    return lab;
  } catch (error) {
    await lab.close();
    throw error;
  }
}

function secureResolver(cert: string, key: string): string {
  return `server:
  interface: ${SECURE}@853
${UNBOUND}  tls-service-pem: "${cert}"
  tls-service-key: "${key}"
  incoming-num-tcp: 100
  local-zone: "example.test." redirect
  local-data: "example.test. 3600 A 198.51.100.80"
remote-control:
  control-enable: no
`;
}

async function routed(
  lab: Lab,
  services: string,
  files: Readonly<Record<string, unknown>> = {},
): Promise<LabRouter> {
  const router = await startRouter(lab, { services, files });
  try {
    const client = lab.clients[0]!;
    await router.lease(client);
    await give(router, client.mac, { Policies: ["dns"] });
    return router;
  } catch (error) {
    await router.close();
    throw error;
  }
}

/** Sluice with its policies, its query log and the list. */
export async function startOurs(at: Ground): Promise<Server> {
  const lab = await made("benchdns", at);
  let router: LabRouter | null = null;
  try {
    const plain = { IPAddress: RESOLVER, TLSHost: "", DisableTls: true };
    const running = router = await routed(lab, "dnsd", {
      "base/dns.json": { UpstreamProviders: [plain], FamilyProviders: [plain] },
      "dns/hostnames.json": Array.from(
        { length: LOCAL_NAMES },
        (_, i) => ({ Hostname: `h${i}.lan`, IPAddress: localAddress(i) }),
      ),
    });
    const trusted = await Deno.readTextFile(at.certificate.ca);
    await Deno.writeTextFile(`${router.home}/configs/dns/upstream_ca.pem`, trusted);
    const names = Array.from({ length: BLOCKED }, (_, i) => `${blockedName(i)}\n`);
    const body = { Text: names.join("") };
    const answer = await router.api("PUT", "/plugins/dns/block/upload/bench", { body });
    if (answer.status !== 200) throw new Error(`The list was not taken: ${answer.text}`);
    await blocks(lab);
    // Its launcher starts it again by itself.
    Deno.kill(await processOf(lab), "SIGKILL");
    const ready = await blocks(lab);
    return {
      name: "ours",
      lab,
      router,
      pid: await processOf(lab),
      ready,
      secure: () => useTls(running),
    };
  } catch (error) {
    await router?.close();
    await lab.close();
    throw error;
  }
}

async function useTls(router: LabRouter): Promise<void> {
  const provider = { IPAddress: SECURE, TLSHost: SECURE_NAME, DisableTls: false };
  const body = { UpstreamProviders: [provider], FamilyProviders: [provider] };
  const answer = await router.api("PUT", "/dnsSettings", { body });
  if (answer.status !== 200) throw new Error(`TLS was not taken: ${answer.text}`);
}

/** Another server with the same names, on a router of ours that answers no questions itself. */
export async function startOther(
  name: string,
  at: Ground,
  { start, secure }: { readonly start: StartOther; readonly secure?: StartOther },
): Promise<Server> {
  const lab = await made(`bench${name.slice(0, 4)}`, at);
  let router: LabRouter | null = null;
  try {
    router = await routed(lab, "none");
    const process = await start(lab, at.folder, RESOLVER);
    const ready = await blocks(lab);
    const server: Server = {
      ...{ name, lab, router, pid: process.pid, ready },
      secure: secure === undefined ? null : async () => {
        await process.stop();
        server.pid = (await secure(lab, at.folder, at.certificate.ca)).pid;
      },
    };
    return server;
  } catch (error) {
    await router?.close();
    await lab.close();
    throw error;
  }
}

/** Waits until the last name of the list is blocked; answers the seconds that it took. */
async function blocks(lab: Lab): Promise<number> {
  const began = performance.now();
  const question = [blockedName(BLOCKED - 1), "+tries=1", "+time=1"];
  for (;;) {
    const seconds = (performance.now() - began) / 1000;
    if ((await dig(lab, "a", LAN, ...question)).status === "NXDOMAIN") return seconds;
    if (seconds > 90) throw new Error(`${question[0]} is not blocked`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The process of dnsd in a lab. */
async function processOf(lab: Lab): Promise<number> {
  const pids = (await must("ip", ["netns", "pids", lab.space("router")])).trim().split("\n");
  for (const pid of pids) {
    const line = (await Deno.readTextFile(`/proc/${pid}/cmdline`)).split("\0");
    if (line[line.findIndex((word) => /dist\/\w+\.js$/.test(word)) + 1] === "dnsd") {
      return Number(pid);
    }
  }
  throw new Error("dnsd does not run");
}
