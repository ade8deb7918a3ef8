import * as z from "zod";
import type { Access } from "../../system/access/open.ts";
import type { Programs } from "../../system/core/process/programs.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import type { ClockSetting } from "../../system/machine/clock_setting.ts";
import { identityOf, userOf } from "../http/authentication.ts";
import { peerFrom } from "../http/peer.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link timeRoutes}. */
export interface TimeDeps {
  readonly machine: () => Machine;
  readonly programs: Pick<Programs, "restart">;
  readonly clock: Pick<ClockSetting, "set" | "keep">;
  readonly access: Pick<Access, "otp" | "passkeys">;
  readonly bus: Pick<Bus, "publish">;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** The router's clock, and a restart of its processes. */
export function timeRoutes({ machine, programs, clock, access, bus, now }: TimeDeps): Route[] {
  const common = { tag: "System", access: "auth" } as const;
  /** True for who has a second factor and has not proven it. */
  const hasProofToGive = (name: string, isProven: boolean): boolean =>
    !isProven && (access.otp.status(name).Confirmed || access.passkeys.hasFactor(name));
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
      path: "/time",
      tag: "System",
      access: "password",
      summary: "Set the router's clock",
      description:
        "Takes the time in unix seconds. It needs no second factor, since one-time codes fail while " +
        "the clock is wrong; but a user who has one must prove it before `until`, or the clock is set " +
        "back. The clock can be set neither back by more than two minutes nor years ahead. Three " +
        "times in ten minutes; 409 where a time server keeps the clock right, 503 where nothing is " +
        "applied to the machine.",
      examples: {
        body: { unix: 1_767_225_600 },
        response: { unix: 1_767_225_600, until: 1_767_226_200 },
      },
      body: z.object({ unix: z.int().min(0).max(4_102_444_800) }),
      response: z.object({
        unix: z.int(),
        /** Null: the clock stays as it was set. */
        until: z.int().nullable(),
      }),
      errors: [409, 429, 502, 503],
    }, async ({ c, body }) => {
      const { name } = await userOf(c);
      const byPassword = hasProofToGive(name, (await identityOf(c)).otp);
      const setter = { user: name, source: peerFrom(c).source, byPassword };
      const until = await clock.set(body.unix * 1000, setter);
      return { unix: body.unix, until: until === null ? null : Math.floor(until / 1000) };
    }),
    route({
      method: "PUT",
      path: "/time/sync",
      ...common,
      summary: "Synchronise the clock",
      description: "Asks the machine's time service to set the clock now; 503 if there is none.",
      errors: [502, 503],
    }, async ({ caller }) => {
      const ended = (status: number) =>
        bus.publish("system:time:sync", { by: caller.by, ip: caller.from ?? "", status });
      try {
        await machine().syncTime();
      } catch (error) {
        ended(error instanceof Problem ? error.status : 500);
        throw error;
      }
      ended(200);
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
