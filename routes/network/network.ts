import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { conflict } from "../../system/core/errors/problem.ts";
import { NetworkStatus } from "../../system/network/network_schema.ts";
import { flag } from "../http/decide.ts";
import { type Route, route } from "../http/route.ts";

/** Differences that one answer lists. */
const LISTED = 100;

/** What the routes of the network need from outside. */
export interface NetworkDeps {
  readonly engine: Pick<
    Engine<Config>,
    "network" | "findings" | "repair" | "takeOver" | "release" | "apply"
  >;
}

const common = { tag: "Network", response: NetworkStatus } as const;

/** How far the kernel follows the configuration, and what brings it back in line. */
export function networkRoutes({ engine }: NetworkDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/network",
      access: "auth",
      ...common,
      summary: "Whether the kernel does what was decided, and what is in the way",
    }, () => status(engine)),
    route({
      method: "PUT",
      path: "/network/repair",
      access: "auth",
      ...common,
      summary: "Put right what differs in the kernel",
      errors: [409],
    }, async () => {
      const { state, detail } = engine.network;
      if (state === "blocked" || state === "released") {
        throw conflict(detail ?? `The network is ${state}`);
      }
      await engine.repair();
      return status(engine);
    }),
    route({
      method: "PUT",
      path: "/network/takeover",
      access: "password",
      ...common,
      summary: "Take over tables of our names that belong to someone else",
      errors: [400, 409],
    }, async ({ c }) => {
      const { state, detail } = engine.network;
      if (state !== "blocked") throw conflict("No table of one of our names is someone else's");
      if (!flag(c, "force")) {
        throw conflict(`${detail} with ?force=true; what is in it is lost`);
      }
      await engine.takeOver();
      return status(engine);
    }),
    route({
      method: "PUT",
      path: "/network/apply",
      access: "password",
      ...common,
      summary: "Apply everything again after it was taken out of the kernel",
    }, async () => {
      if (engine.network.state === "released") await engine.apply();
      return status(engine);
    }),
  ];
}

/** The way out, for the router's own console alone. */
export function releaseRoutes({ engine }: NetworkDeps): Route[] {
  return [
    route({
      method: "PUT",
      path: "/network/release",
      access: "password",
      ...common,
      summary: "Take everything of ours out of the kernel until it is applied again",
      errors: [502],
    }, async () => {
      await engine.release();
      return status(engine);
    }),
  ];
}

function status(engine: NetworkDeps["engine"]): NetworkStatus {
  const { drift, foreign } = engine.findings;
  return {
    ...engine.network,
    drift: drift.slice(0, LISTED),
    more: Math.max(0, drift.length - LISTED),
    foreign: [...foreign],
  };
}
