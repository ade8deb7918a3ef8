import assert from "node:assert/strict";
import { type Bed, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { pidsOf } from "../../kit/lab/pids.ts";
import { ipBytes } from "../../kit/sockets/raw_packets.ts";
import { RawSockets } from "../../kit/sockets/raw_socket.ts";

/** Of each of the two sources. */
const CONNECTIONS = 10_000;
/** Descriptors of an api at rest, with room; each relayed connection has two, and there are 1024. */
const MAX_DESCRIPTORS = 3000;

async function descriptors({ lab }: Bed): Promise<number> {
  const [pid] = await pidsOf(lab, "api");
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** That a client which floods nothing, and the processes of the router, are served. */
async function assertOthersAreServed(bed: Bed): Promise<void> {
  const { lab, router, clients } = bed;
  const page = await lab.get("c", `http://${clients[2]!.RouterIP}/setup`);
  assert.ok(page !== null, "another client is answered");
  assert.equal((await router.api("GET", "/devices")).status, 200);
  await give(router, clients[2]!.mac, { Policies: ["lan", "dns"] });
  await give(router, clients[2]!.mac, { Policies: ["lan"] });
  // By the socket of dhcpd.
  assert.equal((await router.lease(clients[2]!)).IP, clients[2]!.IP);
  assert.ok(await descriptors(bed) < MAX_DESCRIPTORS);
}

async function withFlood(
  name: string,
  flood: (bed: Bed) => Promise<() => Promise<void>>,
): Promise<void> {
  await withBed({ name, lab: { clients: 3 } }, async (bed) => {
    const { lab, router, clients } = bed;
    for (const { mac } of clients) await give(router, mac, { Policies: ["lan"] });
    const before = await descriptors(bed);
    const stop = await flood(bed);
    await assertOthersAreServed(bed);
    await assertOthersAreServed(bed);
    await stop();
    await eventually("the sources of the flood are served", async () => {
      const pages = await Promise.all(
        ["a", "b"].map((client, at) => lab.get(client, `http://${clients[at]!.RouterIP}/setup`)),
      );
      return pages.every((page) => page !== null);
    });
    await eventually(
      "nothing of it is held any more",
      async () => await descriptors(bed) < before + 20,
    );
    const { items } = (await router.api("GET", "/notices")).json;
    assert.deepEqual(items, [], "no listener died");
  });
}

Deno.test("twenty thousand half-open requests of two clients shut nobody else out", () =>
  withFlood("halfopen", async ({ lab, clients }) => {
    const floods = clients.slice(0, 2).map(({ name, RouterIP }) =>
      lab.deno(name, "half_open.ts", [RouterIP, "80", String(CONNECTIONS)])
    );
    await Promise.all(floods.map((flood) => flood.line(/^holding$/)));
    return async () => {
      await Promise.all(floods.map((flood) => flood.stop("SIGKILL")));
    };
  }));

Deno.test("twenty thousand handshakes that two clients never finish shut nobody else out", () =>
  withFlood("synflood", async ({ lab, clients }) => {
    using sockets = new RawSockets();
    const floods = await Promise.all(
      clients.slice(0, 2).map(async ({ name, IP, RouterIP }) => {
        // The client's own kernel knows nothing of these connections, and would end them.
        const silent = "table ip silent {\nchain out {\ntype filter hook output priority 0\n" +
          "tcp flags rst drop\n}\n}\n";
        await lab.must(name, "nft", ["-f", "-"], silent);
        const send = sockets.packets(lab.space(name));
        return (id: number) => {
          const packet = {
            source: IP,
            destination: RouterIP,
            protocol: "tcp",
            port: 80,
            id,
          } as const;
          return send(ipBytes(packet), RouterIP);
        };
      }),
    );
    for (let id = 0; id < CONNECTIONS; id++) {
      for (const send of floods) send(10_000 + id);
      // The kernel's queues take no more at once.
      if (id % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const pending = await lab.must("router", "ss", ["-Htn", "state", "syn-recv"]);
    assert.ok(pending.split("\n").length > 100, "they arrive, and are waited for");
    return async () => {
      for (const { name } of clients.slice(0, 2)) {
        await lab.must(name, "nft", ["delete", "table", "ip", "silent"]);
      }
    };
  }));
