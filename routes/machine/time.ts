import { z } from "zod";
import type { Programs } from "../../system/core/process/programs.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { type Route, route } from "../http/route.ts";

/** What the clock and a restart need from outside. */
export interface TimeDeps {
  readonly machine: () => Machine;
  readonly programs: Pick<Programs, "restart">;
  readonly bus: Pick<Bus, "publish">;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The router's clock, and a restart of its processes. */
export function timeRoutes({ machine, programs, bus, now }: TimeDeps): Route[] {
  const common = { tag: "System", access: "auth" } as const;
  return [
    route({
      method: "GET",
      path: "/time",
      ...common,
      summary: "The router's clock, in seconds since 1970",
      response: z.object({ unix: z.int() }),
    }, () => ({ unix: Math.floor(now() / 1000) })),
    route({
      method: "PUT",
      path: "/time/sync",
      ...common,
      summary: "Set the clock through the machine's time service",
      errors: [502, 503],
    }, async ({ caller }) => {
      await machine().syncTime();
      bus.publish("system:time:sync", { by: caller.by });
    }),
    route({
      method: "PUT",
      path: "/restart",
      ...common,
      summary: "Restart every process; rules, addresses and radios stay as they are",
      errors: [503],
    }, async ({ caller }) => {
      await programs.restart();
      bus.publish("system:restart", { by: caller.by });
    }),
  ];
}
