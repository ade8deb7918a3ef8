import type { Context } from "hono";
import type { Access } from "../../system/access/open.ts";
import { peerFrom } from "../http/peer.ts";
import { sessionCookie } from "../http/session_cookie.ts";

/**
 * Replaces the session of a caller who ended it by their own request. Does nothing without a session.
 */
export async function renewSession(
  c: Context,
  response: Response,
  renewal: {
    readonly access: Access;
    readonly user: { readonly name: string; readonly session: string | null };
  },
): Promise<Response> {
  const { access, user } = renewal;
  if (user.session === null) return response;
  const opened = await access.accounts.openSession(user.name, sessionEnd(c));
  response.headers.append("set-cookie", sessionCookie(opened, peerFrom(c).tls));
  return response;
}

/** The browser's end of a session. */
export function sessionEnd(
  c: Context,
): { readonly source: string; readonly tls: boolean; readonly agent: string } {
  const { source, tls } = peerFrom(c);
  return { source, tls, agent: c.req.header("user-agent") ?? "" };
}
