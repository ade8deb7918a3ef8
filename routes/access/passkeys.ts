import type { Context } from "hono";
import { FIRST_ADMIN } from "../../system/access/first_start.ts";
import { invalidJwt } from "../../system/access/identity.ts";
import {
  AssertionAnswer,
  CeremonyOptions,
  PasskeyDeletion,
  PasskeyLogin,
  PasskeyName,
  PasskeyStatus,
  RegistrationAnswer,
} from "../../system/access/passkeys/passkey_schema.ts";
import { relyingParty } from "../../system/access/passkeys/relying_party.ts";
import type { CeremonyContext } from "../../system/access/passkeys/webauthn.ts";
import * as z from "zod";
import { userBehind } from "../../system/access/identify.ts";
import type { AccessDeps } from "./deps.ts";
import { json } from "../http/answer.ts";
import { identityOf, userOf } from "../http/authentication.ts";
import { hostOf, requestHost } from "../http/host_names.ts";
import { peerFrom } from "../http/peer.ts";
import { type Route, route } from "../http/route.ts";
import { jwtCookie, sessionCookie } from "../http/session_cookie.ts";
import { sessionEnd } from "./renew.ts";
import { withoutCookies } from "./sessions.ts";

const TAG = "Passkeys";

/** Passkeys: registration, deletion, second-factor verification, and sign-in. */
export function passkeyRoutes({ access, proved }: AccessDeps): Route[] {
  const { passkeys } = access;

  /** The user, who must prove a second factor once there is one. Throws Problem 401, 403. */
  async function provenUser(c: Context): ReturnType<typeof userOf> {
    const user = await userOf(c);
    const { otp } = await identityOf(c);
    if (!otp && passkeys.hasFactor(user.name)) throw invalidJwt();
    return user;
  }

  return [
    route({
      method: "GET",
      path: "/webauthn/status",
      summary: "Own passkeys",
      description:
        "Lists the passkeys of the signed-in user with their site and last use. Times are unix " +
        "milliseconds.",
      tag: TAG,
      access: "auth",
      response: PasskeyStatus,
    }, async ({ c }) => {
      const { principal } = await identityOf(c);
      return passkeys.status(userBehind(principal) ?? FIRST_ADMIN);
    }),
    route({
      method: "PUT",
      path: "/webauthn/register",
      summary: "Begin to register a passkey",
      description:
        "Returns the options for `navigator.credentials.create`. Once there is a second factor its " +
        "JWT is required.",
      examples: { parameters: { name: "Phone" } },
      tag: TAG,
      access: "password",
      query: PasskeyName,
      response: CeremonyOptions,
      errors: [400],
    }, async ({ c, query }) => {
      const { name } = await provenUser(c);
      return await passkeys.beginRegistration(name, query.name, ceremonyOf(c));
    }),
    route({
      method: "POST",
      path: "/webauthn/register",
      summary: "Finish registering a passkey",
      description:
        "Takes what the browser created for the options of the PUT, within their lifetime, and " +
        "stores the passkey.",
      tag: TAG,
      access: "password",
      body: RegistrationAnswer,
      response: PasskeyStatus,
      errors: [409],
    }, async ({ c, body }) => {
      const { name } = await provenUser(c);
      return await passkeys.finishRegistration(name, body, peerFrom(c).source);
    }),
    route({
      method: "DELETE",
      path: "/webauthn/credential",
      summary: "Delete a passkey",
      description: "Deletes the passkey and ends the sessions that it opened.",
      tag: TAG,
      access: "password",
      body: PasskeyDeletion,
      response: PasskeyStatus,
      errors: [404, 409],
    }, async ({ c, body }) => {
      const { name, session } = await provenUser(c);
      const answer = json(await passkeys.remove(name, body.ID, peerFrom(c).source));
      const goesOn = session === null || access.sessions.holds(session);
      return goesOn ? answer : withoutCookies(c, answer);
    }),
    route({
      method: "PUT",
      path: "/webauthn/validate",
      summary: "Begin second-factor verification by a passkey",
      description:
        "Returns the options for `navigator.credentials.get` to prove one's second factor.",
      tag: TAG,
      access: "password",
      response: CeremonyOptions,
      errors: [400],
    }, async ({ c }) => {
      const { name } = await userOf(c);
      return await passkeys.beginValidation(name, ceremonyOf(c));
    }),
    route({
      method: "POST",
      path: "/webauthn/validate",
      summary: "Finish second-factor verification by a passkey",
      description:
        "Returns the JWT to send as `X-JWT-OTP` with operations that need a second factor.",
      examples: { response: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl" },
      tag: TAG,
      access: "password",
      body: AssertionAnswer,
      response: z.string(),
    }, async ({ c, body }) => {
      const { name, session } = await userOf(c);
      const jwt = await passkeys.finishValidation(name, body, peerFrom(c).source);
      await proved?.();
      const answer = json(jwt);
      if (session !== null) answer.headers.append("set-cookie", jwtCookie(jwt, peerFrom(c).tls));
      return answer;
    }),
    route({
      method: "PUT",
      path: "/webauthn/login",
      summary: "Begin to sign in with a passkey",
      description: "Returns the options for `navigator.credentials.get`; no user name is needed.",
      tag: TAG,
      access: "public",
      response: CeremonyOptions,
      errors: [400, 429],
    }, ({ c }) => passkeys.beginLogin(ceremonyOf(c))),
    route({
      method: "POST",
      path: "/webauthn/login",
      summary: "Finish signing in with a passkey",
      description:
        "Takes the browser's assertion, sets the session cookie, and returns a token for clients " +
        "without cookies.",
      tag: TAG,
      access: "public",
      body: AssertionAnswer,
      response: PasskeyLogin,
      errors: [401, 429],
    }, async ({ c, body }) => {
      const end = sessionEnd(c);
      const { login, session } = await passkeys.login(body, end);
      return json(login, 200, { "set-cookie": sessionCookie(session, end.tls) });
    }),
  ];
}

/** Where the request comes from, and the site that it belongs to. Throws Problem 400. */
function ceremonyOf(c: Context): CeremonyContext {
  const { source, tls } = peerFrom(c);
  const host = requestHost(c.req.raw);
  const origin = c.req.raw.headers.get("origin");
  return { source, party: relyingParty({ host, name: hostOf(host), tls, origin }) };
}
