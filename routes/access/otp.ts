import type { Context } from "hono";
import * as z from "zod";
import { FIRST_ADMIN } from "../../system/access/first_start.ts";
import { isAdmin, userBehind } from "../../system/access/identify.ts";
import { invalidJwt } from "../../system/access/identity.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { OtpRecovery, OtpRequest, OtpSettings, OtpStatus } from "../../system/access/schema.ts";
import type { AccessDeps } from "./deps.ts";
import { empty, json } from "../http/answer.ts";
import { identityOf, userOf } from "../http/authentication.ts";
import { peerFrom } from "../http/peer.ts";
import { type Route, route } from "../http/route.ts";
import { jwtCookie } from "../http/session_cookie.ts";
import { renewSession } from "./renew.ts";

const TAG = "One-time passwords";

/** One-time passwords of the signed-in user. */
export function otpRoutes({ access, proved }: AccessDeps): Route[] {
  /** Refuses what a password alone must not do beside a passkey, the second factor. Throws Problem 403. */
  async function requireProof(c: Context, user: string): Promise<void> {
    const { otp } = await identityOf(c);
    if (!otp && !access.otp.status(user).Confirmed && access.passkeys.hasFactor(user)) {
      throw invalidJwt();
    }
  }

  return [
    route({
      method: "GET",
      path: "/otp_status",
      summary: "State of a user's one-time passwords",
      description:
        "Whether one-time passwords are set up and confirmed, and whether a code is required at " +
        "every sign-in (`AlwaysOn`). Only admins see it of others.",
      examples: { parameters: { name: "admin" } },
      tag: TAG,
      access: "auth",
      query: z.object({ name: z.string().max(64).optional() }),
      response: OtpStatus,
      errors: [403],
    }, async ({ c, query }) => {
      const { principal } = await identityOf(c);
      const own = userBehind(principal) ?? FIRST_ADMIN, name = query.name || own;
      if (name !== own && !isAdmin(principal)) {
        throw new Problem(403, "Only an admin sees the one-time passwords of other users");
      }
      return access.otp.status(name);
    }),
    route({
      method: "PUT",
      path: "/otp_register",
      summary: "Set up one-time passwords",
      description:
        "Creates a new secret for an authenticator app; it counts once a code of it is verified. " +
        "Replacing a confirmed secret needs a current code.",
      tag: TAG,
      access: "password",
      body: OtpRequest,
      response: OtpSettings,
      errors: [503],
    }, async ({ c, body }) => {
      const user = await userOf(c);
      await requireProof(c, user.name);
      const replaces = access.otp.status(user.name).Confirmed;
      const response = json(await access.accounts.registerOtp(user.name, body));
      return replaces ? await renewSession(c, response, { access, user }) : response;
    }),
    route({
      method: "DELETE",
      path: "/otp_register",
      summary: "Disable one-time passwords",
      description: "Removes the second factor; a confirmed one needs a current code.",
      tag: TAG,
      access: "password",
      body: OtpRequest,
      bodyOptional: true,
      errors: [404, 503],
    }, async ({ c, body }) => {
      const user = await userOf(c);
      const { ended } = await access.accounts.deleteOtp(user.name, body ?? OtpRequest.parse({}));
      return ended ? await renewSession(c, empty(), { access, user }) : undefined;
    }),
    route({
      method: "PUT",
      path: "/otp_recovery",
      summary: "Make recovery codes",
      description:
        "Returns ten codes, each of which stands for a code of the authenticator app once; earlier " +
        "ones are worth nothing from then on. Only their hashes are kept. Needs a current code. " +
        "Within ten minutes after the secret was confirmed, the JWT that its first code gave, sent as " +
        "`X-JWT-OTP`, suffices once.",
      tag: TAG,
      access: "password",
      body: OtpRequest,
      bodyOptional: true,
      response: OtpRecovery,
      errors: [503],
    }, async ({ c, body }) => {
      const { name } = await userOf(c);
      const request = body ?? OtpRequest.parse({});
      const { otp } = await identityOf(c);
      const jwt = otp ? c.req.header("x-jwt-otp") ?? c.req.header("x-jwt-token") ?? null : null;
      return { Codes: await access.accounts.createRecoveryCodes(name, request, jwt) };
    }),
    route({
      method: "PUT",
      path: "/otp_validate",
      summary: "Verify a one-time code",
      description:
        "Returns the JWT to send as `X-JWT-OTP` with operations that need a second factor. Takes a " +
        "recovery code in the place of one of the app, once; a 503 says that it could not be stored as " +
        "used, and does not count. The " +
        "first code confirms a new secret; beside a passkey, that needs the JWT of it. A 400 for a " +
        "wrong code has the router's time as `unix`: codes go by its clock, which `PUT /time` sets.",
      examples: { response: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl" },
      tag: TAG,
      access: "password",
      body: OtpRequest,
      response: z.string(),
      errors: [503],
    }, async ({ c, body }) => {
      const user = await userOf(c);
      await requireProof(c, user.name);
      const { jwt, ended } = await access.accounts.validateOtp(user.name, body);
      await proved?.();
      const response = json(jwt);
      if (user.session === null) return response;
      if (ended) await renewSession(c, response, { access, user });
      response.headers.append("set-cookie", jwtCookie(jwt, peerFrom(c).tls));
      return response;
    }),
    route({
      method: "PUT",
      path: "/otp_jwt_test",
      summary: "Whether the JWT is valid",
      description: "Answers an empty 200 to a valid JWT, and 403 otherwise.",
      tag: TAG,
      access: "otp",
    }, () => undefined),
  ];
}
