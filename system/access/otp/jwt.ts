import { createHmac } from "node:crypto";
import { decodeJwt, jwtVerify, SignJWT } from "jose";
import { base64url, type RandomBytes } from "../digest.ts";

/** Issuer of one-time password JWTs, as existing clients know it. */
const ISSUER = "SPR-OTP";
/** Default validity of a JWT, in seconds. */
export const DEFAULT_JWT_SECONDS = 3600;
/** Longest token that is parsed. */
const MAX_LENGTH = 4096;

/** Key and clock that JWTs are issued and verified with. */
export interface JwtOptions {
  readonly key: Uint8Array;
  readonly random: RandomBytes;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Epoch of a user; null for an unknown one. */
  readonly epochOf: (user: string) => string | null;
}

/** Issues a JWT to a user who has just proven a second factor. Throws for an unknown user. */
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

/** The subject of a JWT; null unless it is valid in every respect. */
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

/** A key per user and epoch: a new epoch invalidates every older JWT without a revocation list. */
function userKey(key: Uint8Array, user: string, epoch: string): Uint8Array {
  return new Uint8Array(
    createHmac("sha256", key).update(JSON.stringify(["otp-jwt", user, epoch])).digest(),
  );
}
