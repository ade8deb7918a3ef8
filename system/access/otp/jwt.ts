import { createHmac } from "node:crypto";
import { decodeJwt, jwtVerify, SignJWT } from "jose";
import { base64url, type RandomBytes } from "../digest.ts";

/** Issuer of one-time password JWTs, as existing clients know it. */
export const ISSUER = "SPR-OTP";
/** Seconds that a JWT holds where no setting says otherwise. */
export const DEFAULT_JWT_SECONDS = 3600;
/** Longest text that is looked at. */
const MAX_LENGTH = 4096;

/** What JWTs are made and checked with. */
export interface JwtOptions {
  readonly key: Uint8Array;
  readonly random: RandomBytes;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Epoch of a user; null for an unknown one. */
  readonly epochOf: (user: string) => string | null;
}

/** Signs that a user has just given a valid code. Throws for an unknown user. */
export async function issueJwt(
  options: JwtOptions,
  user: string,
  seconds: number,
): Promise<string> {
  const epoch = options.epochOf(user);
  if (epoch === null) throw new Error("No JWT for an unknown user");
  const now = Math.floor(options.now() / 1000);
  return await new SignJWT({})
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(ISSUER)
    .setSubject(user)
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .setJti(base64url(options.random(12)))
    .sign(userKey(options.key, user, epoch));
}

/** The user whom a JWT speaks for; null unless it holds in every respect. */
export async function verifyJwt(options: JwtOptions, token: string): Promise<string | null> {
  if (token === "" || token.length > MAX_LENGTH) return null;
  try {
    const user = decodeJwt(token).sub;
    const epoch = user === undefined ? null : options.epochOf(user);
    if (user === undefined || epoch === null) return null;
    const { payload } = await jwtVerify(token, userKey(options.key, user, epoch), {
      algorithms: ["HS256"],
      issuer: ISSUER,
      subject: user,
      requiredClaims: ["exp", "iat", "jti"],
      currentDate: new Date(options.now()),
    });
    return payload.sub ?? null;
  } catch {
    return null;
  }
}

/** A key per user and epoch: a new epoch makes every older JWT worthless, without a list of them. */
function userKey(key: Uint8Array, user: string, epoch: string): Uint8Array {
  return new Uint8Array(
    createHmac("sha256", key).update(JSON.stringify(["otp-jwt", user, epoch])).digest(),
  );
}
