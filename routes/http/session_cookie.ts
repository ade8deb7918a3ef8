import { cookieName } from "../../system/access/credentials.ts";
import type { OpenedSession } from "../../system/access/sessions.ts";

/** The `Set-Cookie` that hands a session to the browser; `now` is unix milliseconds. */
export function sessionCookie(session: OpenedSession, tls: boolean, now: number): string {
  const seconds = Math.max(0, Math.floor((session.expires - now) / 1000));
  return cookie(session.secret, seconds, tls);
}

/** The `Set-Cookie` that takes it away. */
export function endedCookie(tls: boolean): string {
  return cookie("", 0, tls);
}

function cookie(value: string, seconds: number, tls: boolean): string {
  const secure = tls ? "; Secure" : "";
  return `${
    cookieName(tls)
  }=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
