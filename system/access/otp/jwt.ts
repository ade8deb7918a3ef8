import { createHmac } from "node:crypto";
import { decodeJwt, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { base64url, type RandomBytes } from "../digest.ts";

/** Issuer of one-time password JWTs, as existing clients know it. */
const ISSUER = "SPR-OTP";
/** Default validity of a JWT, in seconds. */
export const DEFAULT_JWT_SECONDS = 3600;
/** Longest token that is parsed. */
const MAX_LENGTH = 4096;

/** JWTs of this run that are remembered; one beyond them is judged by its times alone. */
const MAX_REMEMBERED = 1000;
/** A JWT of an earlier run may lie so far ahead: clocks are set by small amounts all the time. */
const TOLERANCE_SECONDS = 120;

/** Key and clocks that JWTs are issued and verified with. */
export interface JwtOptions {
  readonly key: Uint8Array;
  readonly random: RandomBytes;
  /** The best guess of the time, unix milliseconds. */
  readonly now: () => number;
  /** The wall clock, unix milliseconds. */
  readonly wall: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  /** Epoch of a user; null for an unknown one. */
  readonly epochOf: (user: string) => string | null;
}

/**
 * One-time password JWTs. Those of this run expire by the monotonic clock, however the clock is set.
 * One of an earlier run is judged by its times: it is refused when it was issued in the future, by a
 * clock that ran ahead, and when any clock says that it has expired, or said so before.
 */
export class Jwts {
  readonly #options: JwtOptions;
  /** When those of this run end on the monotonic clock, by their IDs. */
  readonly #ends = new Map<string, number>();
  /** The latest time that was believed. */
  #latest = -Infinity;

  constructor(options: JwtOptions) {
    this.#options = options;
  }

  /** Issues a JWT to a user who has just proven a second factor. Throws for an unknown user. */
  async issue(user: string, seconds: number): Promise<string> {
    const { key, random, now, steady, epochOf } = this.#options;
    const epoch = epochOf(user);
    if (epoch === null) throw new Error("No JWT for an unknown user");
    const at = Math.floor(now() / 1000);
    const id = base64url(random(12));
    this.#remember(id, steady() + seconds * 1000);
    return await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(ISSUER)
      .setSubject(user)
      .setIssuedAt(at)
      .setExpirationTime(at + seconds)
      .setJti(id)
      .sign(userKey(key, user, epoch));
  }

  /** The subject of a JWT; null unless it is valid in every respect. */
  async verify(token: string): Promise<string | null> {
    if (token === "" || token.length > MAX_LENGTH) return null;
    try {
      const user = decodeJwt(token).sub;
      const epoch = user === undefined ? null : this.#options.epochOf(user);
      if (user === undefined || epoch === null) return null;
      const { payload } = await jwtVerify(token, userKey(this.#options.key, user, epoch), {
        algorithms: ["HS256"],
        issuer: ISSUER,
        subject: user,
        requiredClaims: ["exp", "iat", "jti"],
        // Its times are judged below, by more than one clock.
        currentDate: new Date(0),
      });
      return this.#isLive(payload) ? payload.sub ?? null : null;
    } catch {
      return null;
    }
  }

  #isLive({ jti = "", iat = Infinity, exp = -Infinity }: JWTPayload): boolean {
    const { now, wall, steady } = this.#options;
    const end = this.#ends.get(jti);
    if (end !== undefined) return steady() < end;
    const guess = now() / 1000;
    this.#latest = Math.max(this.#latest, guess);
    return iat <= guess + TOLERANCE_SECONDS && exp > Math.max(this.#latest, wall() / 1000);
  }

  #remember(id: string, end: number): void {
    this.#ends.set(id, end);
    if (this.#ends.size > MAX_REMEMBERED) this.#ends.delete(this.#ends.keys().next().value!);
  }
}

/** A key per user and epoch: a new epoch invalidates every older JWT without a revocation list. */
function userKey(key: Uint8Array, user: string, epoch: string): Uint8Array {
  return new Uint8Array(
    createHmac("sha256", key).update(JSON.stringify(["otp-jwt", user, epoch])).digest(),
  );
}
