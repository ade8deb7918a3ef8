import { Problem } from "../../system/core/errors/problem.ts";
import { type Route, route } from "../http/route.ts";

const WORDS =
  "No process of this router may write its own program. Whoever installed it brings the " +
  "wanted release (git fetch and git checkout in its folder, then deno ci), and a restart " +
  "takes it into use; rules, addresses and radios stay as they are meanwhile";

/** Update of the program. */
export function updateRoutes(): Route[] {
  return [
    route({
      method: "PUT",
      path: "/update",
      tag: "Releases",
      access: "auth",
      summary: "Update the program (always refused)",
      description:
        "No process may replace the program it runs. The 503 says how to install another release.",
      errors: [503],
    }, () => {
      throw new Problem(503, WORDS);
    }),
  ];
}
