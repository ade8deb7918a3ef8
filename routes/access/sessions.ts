import type { Context } from "hono";
import * as z from "zod";
import { parseAuthorization } from "../../system/access/identify.ts";
import { Login, LoginAnswer, PasswordChange, SessionView } from "../../system/access/schema.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import type { AccessDeps } from "./deps.ts";
import { empty, json } from "../http/answer.ts";
import { identityOf, userOf, withChallenge } from "../http/authentication.ts";
import { peerFrom } from "../http/peer.ts";
import { type Route, route } from "../http/route.ts";
import { endedCookies, sessionCookie } from "../http/session_cookie.ts";
import { renewSession, sessionEnd } from "./renew.ts";

const TAG = "Access";

/** Browser sessions and the password that opens them. */
export function sessionRoutes({ access }: AccessDeps): Route[] {
  /** Ends the session that the request presents, if any. */
  async function logout(c: Context): Promise<void> {
    const { principal } = await identityOf(c), { source } = peerFrom(c);
    if (principal?.kind === "token") {
      return await access.accounts.endLogin(principal.tokens, source);
    }
    if (principal?.kind !== "user" || principal.session === null) return;
    await access.accounts.logout(principal.name, principal.session, source);
  }

  return [
    route({
      method: "PUT",
      path: "/auth/login",
      summary: "Sign in",
      description:
        "Takes Basic credentials, or name and password in the body, and sets the session cookie. " +
        "Where a second factor is required, verify it next.",
      tag: TAG,
      access: "public",
      body: Login,
      bodyOptional: true,
      response: LoginAnswer,
      errors: [401, 429],
    }, async ({ c, body }) => {
      const { user, password } = credentials(c, body);
      const end = sessionEnd(c);
      const signIn = { user, password, source: end.source };
      const opened = await access.accounts.login(signIn, end).catch((error) => {
        throw error instanceof Problem ? withChallenge(c, error) : error;
      });
      const answer = {
        name: user,
        role: access.accounts.roleOf(user),
        id: opened.id,
        expires: opened.expires,
        otp: access.otp.status(user),
      };
      return json(answer, 200, { "set-cookie": sessionCookie(opened, end.tls) });
    }),
    route({
      method: "PUT",
      path: "/auth/logout",
      summary: "Sign out this browser",
      description:
        "Ends the session of the cookie and clears it. Succeeds without a session as well.",
      tag: TAG,
      access: "public",
    }, async ({ c }) => {
      await logout(c);
      return withoutCookies(c, empty());
    }),
    route({
      method: "PUT",
      path: "/logout",
      summary: "Sign out (existing clients)",
      description:
        "Ends the session of the cookie or of the Bearer token of a passkey sign-in, and answers " +
        "`true`.",
      tag: TAG,
      access: "auth",
      response: z.boolean(),
    }, async ({ c }) => {
      await logout(c);
      return withoutCookies(c, json(true));
    }),
    route({
      method: "GET",
      path: "/auth/sessions",
      summary: "Own browser sessions",
      description:
        "Lists the sessions of the signed-in user with source address and browser. Times are unix " +
        "milliseconds.",
      examples: {
        response: {
          items: [{
            id: "9a41",
            user: "admin",
            createdAt: 1_767_225_600_000,
            lastSeen: 1_767_225_600_000,
            expires: 1_767_830_400_000,
            source: "192.168.2.6",
            agent: "Mozilla/5.0",
            tls: true,
            passkey: null,
            current: true,
          }],
          next: null,
        },
      },
      tag: TAG,
      access: "password",
      response: z.object({ items: z.array(SessionView), next: z.string().nullable() }),
    }, async ({ c }) => {
      const { name, session } = await userOf(c);
      return { items: access.sessions.list(name, session), next: null };
    }),
    route({
      method: "DELETE",
      path: "/auth/sessions/{id}",
      summary: "Sign out one of the own sessions",
      description: "Ends the session with this ID; its browser is signed out at its next request.",
      examples: { parameters: { id: "9a41" } },
      tag: TAG,
      access: "password",
      params: z.object({ id: z.string() }),
      errors: [404],
    }, async ({ c, params }) => {
      const { name } = await userOf(c);
      await access.accounts.endSession(name, params.id, peerFrom(c).source);
    }),
    route({
      method: "PUT",
      path: "/auth/password",
      summary: "Change the own password",
      description:
        "Ends all other sessions and JWTs of the user; this browser gets a new session cookie.",
      tag: TAG,
      access: "password",
      body: PasswordChange,
      document: "users",
      errors: [409, 412],
    }, async ({ c, body, decide }) => {
      const user = await userOf(c);
      const { source } = peerFrom(c);
      const command = await access.accounts.passwordCommand(user.name, { ...body, source });
      const response = await decide(command);
      if (!response.headers.has("change-id")) return response;
      await access.accounts.syncUsers();
      return await renewSession(c, response, { access, user });
    }),
  ];
}

/** Clears the browser's cookies. */
export function withoutCookies(c: Context, response: Response): Response {
  for (const cookie of endedCookies(peerFrom(c).tls)) response.headers.append("set-cookie", cookie);
  return response;
}

function credentials(
  c: Context,
  body: z.output<typeof Login> | undefined,
): { readonly user: string; readonly password: string } {
  const shown = parseAuthorization(c.req.raw.headers.get("authorization"));
  if (shown.kind === "basic") return shown;
  if (shown.kind === "none" && body) return { user: body.Name, password: body.Password };
  throw withChallenge(c, new Problem(401, "Send a name and a password"));
}
