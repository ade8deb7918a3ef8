import { requestUpdate, type UpdateRequestDeps } from "../../system/machine/update_request.ts";
import { empty } from "../http/answer.ts";
import { type Route, route } from "../http/route.ts";

/** Update of the program. */
export function updateRoutes(deps: UpdateRequestDeps): Route[] {
  return [
    route({
      method: "PUT",
      path: "/update",
      tag: "Releases",
      access: "auth",
      summary: "Request an update of the program",
      description:
        "200 where the selected release, or the newest known one of the channel, runs already. " +
        "Otherwise a notice says how to install it, since no process may replace the program it " +
        "runs; a 202 has the same text, and there is no progress to wait for.",
      accepted: "The release has to be installed by hand; the answer says how.",
    }, async () => {
      const text = await requestUpdate(deps);
      if (text === null) return empty();
      return new Response(`${text}\n`, {
        status: 202,
        headers: { "content-type": "text/plain; charset=utf-8" },
      });
    }),
  ];
}
