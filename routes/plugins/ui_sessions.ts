import * as z from "zod";
import { userBehind } from "../../system/access/identify.ts";
import type { Identity } from "../../system/access/identity.ts";
import { conflict, Problem } from "../../system/core/errors/problem.ts";
import type { UiSessions } from "../../system/plugins/ui_sessions.ts";
import { json } from "../http/answer.ts";
import { identityOf } from "../http/authentication.ts";
import { type Route, route } from "../http/route.ts";
import { PAGE_PROTOCOL } from "./page_globals.ts";

const Request = z.object({
  pluginURI: z.string().max(128).meta({ examples: ["sample"] }),
  protocolVersion: z.int().meta({ examples: [1] }),
  replaceSessionId: z.string().max(64).optional(),
});
const Session = z.object({
  token: z.string(),
  sessionId: z.string(),
  pluginURI: z.string(),
  expiresAt: z.int(),
  protocolVersion: z.literal(PAGE_PROTOCOL),
}).meta({ id: "PluginUiSession" });

/** Short sessions of plugin pages, each for the path of its plugin alone. */
export function uiSessionRoutes(
  { plugins, holds }: {
    readonly plugins: { readonly sessions: UiSessions };
    readonly holds: (identity: Identity) => boolean;
  },
): Route[] {
  const common = { tag: "Plugins", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "PUT",
      path: "/plugin/ui_session",
      summary: "Open a session for the page of a plugin",
      description:
        "Returns a token for `/plugins/<URI>` that lasts ten minutes, for a page in a sandboxed " +
        "frame, which has no access to the router's own session, and that may do there what the " +
        "caller may. It ends before that once the caller is signed out. `replaceSessionId` is ended. " +
        "Requests with a token that has ended get 401 with `X-SPR-Auth-Error: invalid_token`.",
      body: Request,
      response: Session,
      status: 201,
      errors: [403, 409],
    }, async ({ c, body }) => {
      if (body.protocolVersion !== PAGE_PROTOCOL) {
        throw conflict(`This router speaks version ${PAGE_PROTOCOL} of the protocol of pages`, {
          error: "unsupported_protocol",
          supportedProtocolVersions: [PAGE_PROTOCOL],
        });
      }
      const identity = await identityOf(c);
      const session = plugins.sessions.open(body.pluginURI, {
        user: userBehind(identity.principal),
        isSignedIn: () => holds(identity),
        replace: body.replaceSessionId ?? null,
      });
      if (session === null) {
        throw new Problem(403, "There is no such plugin that is on and has a sandboxed page");
      }
      return json({ ...session, protocolVersion: PAGE_PROTOCOL }, 201);
    }),
    route({
      ...common,
      method: "DELETE",
      path: "/plugin/ui_session/{session}",
      params: z.object({ session: z.string().max(64) }),
      summary: "End a session of a plugin's page",
      description: "Responds the same where there is none.",
      status: 204,
    }, ({ params }) => {
      plugins.sessions.end(params.session);
      return new Response(null, { status: 204 });
    }),
  ];
}
