import { z } from "zod";
import type { Programs } from "../../system/core/process/programs.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link timeRoutes}. */
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
      summary: "The router's clock",
      description:
        "Returns the current time as unix seconds; compare it with the client's to find a wrong " +
        "clock.",
      examples: { response: { unix: 1_767_225_600 } },
      response: z.object({ unix: z.int() }),
    }, () => ({ unix: Math.floor(now() / 1000) })),
    route({
      method: "PUT",
      path: "/time/sync",
      ...common,
      summary: "Synchronise the clock",
      description: "Asks the machine's time service to set the clock now; 503 if there is none.",
      errors: [502, 503],
    }, async ({ caller }) => {
      await machine().syncTime();
      bus.publish("system:time:sync", { by: caller.by, ip: caller.from ?? "", status: 200 });
    }),
    route({
      method: "PUT",
      path: "/restart",
      ...common,
      summary: "Restart all processes",
      description:
        "Restarts every Sluice process. Rules, addresses and radios stay as they are, so traffic " +
        "continues; the API is unavailable for a few seconds.",
      errors: [503],
    }, async ({ caller }) => {
      await programs.restart();
      bus.publish("system:restart", { by: caller.by });
    }),
  ];
}
