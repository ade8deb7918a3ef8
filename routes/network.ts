import { z } from "zod";
import type { Config } from "../system/config.ts";
import type { ChangeEngine } from "../system/core/change.ts";
import { type Route, route } from "./http/route.ts";

const Network = z.object({
  state: z.enum(["applied", "model", "blocked", "broken"]),
  detail: z.string().nullable(),
});

/** How far the kernel follows the configuration. */
export function networkRoutes(
  { engine }: { readonly engine: Pick<ChangeEngine<Config>, "network"> },
): Route[] {
  return [
    route({
      method: "GET",
      path: "/network",
      tag: "Network",
      access: "auth",
      summary: "Whether the kernel does what was decided, and what is in the way",
      response: Network,
    }, () => engine.network),
  ];
}
