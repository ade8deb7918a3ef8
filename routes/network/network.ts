import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import { conflict } from "../../system/core/errors/problem.ts";
import { NetworkStatus } from "../../system/network/status_schema.ts";
import { flag } from "../http/decide.ts";
import { type Route, route } from "../http/route.ts";

/** Drift entries in one answer. */
const MAX_LISTED = 100;

/** What the routes of the network need from outside. */
export interface NetworkDeps {
  readonly engine: Pick<
    Engine<Config>,
    "network" | "findings" | "repair" | "takeOver" | "release" | "apply"
  >;
}

const common = { tag: "Network", response: NetworkStatus } as const;

/** Whether the kernel matches the configuration, and how to repair it. */
export function networkRoutes({ engine }: NetworkDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/network",
      compresses: true,
      access: "auth",
      ...common,
      summary: "State of the kernel",
      description:
        "Whether the configuration is applied to the kernel, where the two differ (drift), and " +
        "chains of other software that may drop traffic as well.",
    }, () => status(engine)),
    route({
      method: "PUT",
      path: "/network/repair",
      access: "auth",
      ...common,
      summary: "Repair drift in the kernel",
      description:
        "Applies whatever differs from the configuration again, and returns the new state.",
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
      summary: "Take over nft tables with Sluice's names that other software created",
      description:
        "Deletes tables of other software that have Sluice's names, with all their contents, and " +
        "applies the configuration. Only with `force=true`.",
      force: true,
      errors: [400, 409],
    }, async ({ c }) => {
      const { state, detail } = engine.network;
      if (state !== "blocked") {
        throw conflict("No nft table with one of Sluice's names belongs to other software");
      }
      if (!flag(c, "force")) {
        throw conflict(`${detail} with ?force=true; its contents are lost`);
      }
      await engine.takeOver();
      return status(engine);
    }),
    route({
      method: "PUT",
      path: "/network/apply",
      access: "password",
      ...common,
      summary: "Apply the configuration again after a release",
      description:
        "Takes the kernel into use again after it was released on the console; does nothing in any " +
        "other state.",
    }, async () => {
      if (engine.network.state === "released") await engine.apply();
      return status(engine);
    }),
  ];
}

/** Releases the kernel; only for the router's own console. */
export function releaseRoutes({ engine }: NetworkDeps): Route[] {
  return [
    route({
      method: "PUT",
      path: "/network/release",
      access: "password",
      ...common,
      summary: "Release the kernel",
      description:
        "Removes every rule, address and route of Sluice from the kernel until the configuration is " +
        "applied again. Devices have no connection meanwhile.",
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
    drift: drift.slice(0, MAX_LISTED),
    more: Math.max(0, drift.length - MAX_LISTED),
    foreign: [...foreign],
  };
}
