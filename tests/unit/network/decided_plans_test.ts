import assert from "node:assert/strict";
import { join } from "node:path";
import type { NetworkState } from "../../../system/core/engine/change.ts";
import { onceEach } from "../../../system/core/config/memo.ts";
import type { Desired } from "../../../system/core/kernel/desired.ts";
import type { Log } from "../../../system/core/log/log.ts";
import { multicastDocument } from "../../../system/multicast/document.ts";
import { relayPlan } from "../../../system/multicast/relay_plan.ts";
import type { UplinkPlan } from "../../../system/uplink/plan_schema.ts";
import { startUplinkd } from "../../../system/uplink/service.ts";
import { uplinkPlan } from "../../../system/uplink/uplink_plan.ts";
import { DEFAULT_WIREGUARD } from "../../../system/wireguard/schema.ts";
import { TunnelPlans } from "../../../system/wireguard/tunnels/tunnel_plan.ts";
import { eventually } from "../../kit/eventually.ts";
import { network } from "../../kit/builders/small_network.ts";

type State = NetworkState["state"];

const QUIET: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** What uplinkd, multicastd and wireguard are told in a state of the network: decided or not, and how much. */
function plansIn(state: State): readonly unknown[] {
  const wireguard = { ...DEFAULT_WIREGUARD, Enabled: true, PrivateKey: "x" };
  const config = network({}, { multicast: multicastDocument.fallback, wireguard });
  const desired = {
    neighbours: [],
    addresses: [],
    facts: { links: new Map([["eth0", 2], ["eth1", 3]]), uplinks: [], addresses: [] },
  } as unknown as Desired;
  const engine = {
    config,
    desired,
    network: { state, detail: null },
    observed: { devices: {}, uplinks: {} },
  };
  const uplinks = uplinkPlan({ engine: engine as never, speed: null });
  const relay = relayPlan({ engine, hostName: "sluice" });
  const vpn = new TunnelPlans(engine).present;
  return [
    ...[uplinks.decided, uplinks.dhcp.length, relay.decided, relay.links.length],
    ...[vpn.decided, vpn.tunnels.length],
  ];
}

Deno.test("while an api that starts has no kernel yet, nothing is decided, neither for uplinks nor groups", () => {
  assert.deepEqual(plansIn("model"), [false, 0, false, 0, false, 0]);
  assert.deepEqual(plansIn("broken"), [false, 0, false, 0, false, 0]);
  assert.deepEqual(plansIn("applied"), [true, 1, true, 1, true, 1]);
  // Someone else's table, or an administrator, keeps ours out: then nothing is to run.
  assert.deepEqual(plansIn("blocked"), [true, 0, true, 0, true, 0]);
  assert.deepEqual(plansIn("released"), [true, 0, true, 0, true, 0]);
});

Deno.test("a plan of tunnels that comes back has another tag, whatever else is kept with the engine", () => {
  const planned = (Enabled: boolean) => {
    const wireguard = { ...DEFAULT_WIREGUARD, Enabled, PrivateKey: "x" };
    return network({}, { multicast: multicastDocument.fallback, wireguard });
  };
  const on = planned(true), off = planned(false);
  const engine = { config: on, network: { state: "applied" as State, detail: null } };
  const plans = new TunnelPlans(engine);
  const first = plans.present.tag;
  assert.equal(plans.present.tag, first);
  engine.config = off;
  const second = plans.present.tag;
  // More results than a value keeps.
  const results = Array.from({ length: 60 }, (_, at) => onceEach((_: object) => at));
  for (const result of results) result(engine);
  engine.config = on;
  assert.equal(new Set([first, second, plans.present.tag]).size, 3);
});

Deno.test("uplinkd hangs nobody up for an api that starts, but does once that is decided", async () => {
  const folder = await Deno.makeTempDir();
  const account = join(folder, "ppp/peers/provider_wan0");
  await Deno.mkdir(join(folder, "ppp/peers"), { recursive: true });
  await Deno.writeTextFile(account, "");
  const nothing = { dhcp: [], ppp: [], probes: [], intervalSeconds: 2, portals: [], speed: null };
  const knownTags: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const decision = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const path = join(folder, "socket");
  const server = Deno.serve({ path, onListen: () => {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/plan") {
      await ending.promise;
      return new Response(null, { status: 503 });
    }
    const known = searchParams.get("known") ?? "";
    knownTags.push(known);
    const answer = (tag: string, decided: boolean): Response =>
      Response.json({ tag, decided, ...nothing } satisfies UplinkPlan);
    if (known === "") return answer("starting", false);
    if (known === "starting") {
      arrived.resolve();
      await decision.promise;
      return answer("decided", true);
    }
    await ending.promise;
    return answer("decided", true);
  });
  const uplinkd = startUplinkd({ socket: path, pppFolder: join(folder, "ppp"), log: QUIET });
  try {
    await arrived.promise;
    // It looks twice a second for what is to be dialled.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    assert.ok((await Deno.stat(account)).isFile);
    decision.resolve();
    await eventually("it is hung up", () => assert.rejects(Deno.stat(account)));
    assert.deepEqual(knownTags.slice(0, 3), ["", "starting", "decided"]);
  } finally {
    decision.resolve();
    ending.resolve();
    await uplinkd.stop();
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});
