import { z } from "zod";
import type { Releases } from "../../system/machine/releases.ts";
import { versionOf } from "../machine/releases.ts";
import { type Route, route } from "../http/route.ts";

/** Routes of the socket from which existing services read versions. */
export function superdSocketRoutes({ releases }: { readonly releases: Releases }): Route[] {
  const common = {
    method: "GET",
    tag: "Versions",
    access: "auth",
    response: z.string(),
    errors: [404],
  } as const;
  const name = z.string().max(128).default("");
  return [
    route({
      ...common,
      path: "/git_version",
      summary: "Version of the program or of a plugin",
      description:
        "Without a name: the version of the program. 404 for a plugin that is not known.",
      examples: { parameters: { plugin: "api" }, response: "0.1.0" },
      query: z.object({ plugin: name }),
    }, ({ query }) => versionOf(releases, query.plugin || "superd")),
    route({
      ...common,
      path: "/container_version",
      summary: "Version of a part of the program",
      description: "Without a name: the version of the program. 404 for a part that is not known.",
      examples: { parameters: { container: "dns" }, response: "0.1.0" },
      query: z.object({ container: name }),
    }, ({ query }) => versionOf(releases, query.container || "superd")),
  ];
}
