import { cookieName, jwtCookieName, STREAM_PATH } from "../../system/access/identify.ts";
import { type OpenedSession, SESSION } from "../../system/access/sessions.ts";

/** The `Set-Cookie` that hands a session to the browser, which counts by its own clock. */
export function sessionCookie(session: OpenedSession, tls: boolean): string {
  const seconds = SESSION.absolute / 1000;
  return `${cookieName(tls)}=${session.secret}; Path=/; Max-Age=${seconds}${attributes(tls)}`;
}

/** The `Set-Cookie` lines that take a session, and the JWT beside it, away. */
export function endedCookies(tls: boolean): readonly string[] {
  return [
    `${cookieName(tls)}=; Path=/; Max-Age=0${attributes(tls)}`,
    `${jwtCookieName(tls)}=; Path=${STREAM_PATH}; Max-Age=0${attributes(tls)}`,
  ];
}

/** The `Set-Cookie` that lets the event stream of a browser prove the second factor; no expiry of its own. */
export function jwtCookie(jwt: string, tls: boolean): string {
  return `${jwtCookieName(tls)}=${jwt}; Path=${STREAM_PATH}${attributes(tls)}`;
}

function attributes(tls: boolean): string {
  return `; HttpOnly; SameSite=Strict${tls ? "; Secure" : ""}`;
}
