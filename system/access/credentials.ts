/** A parsed `Authorization` header. `bad`: present but unusable. */
export type Authorization =
  | { readonly kind: "none" }
  | { readonly kind: "bad" }
  | { readonly kind: "basic"; readonly user: string; readonly password: string }
  | { readonly kind: "bearer"; readonly token: string };

/** Name of the session cookie; that of plain HTTP is ignored under TLS. */
export function cookieName(tls: boolean): string {
  return tls ? "__Host-sluice" : "sluice-http";
}

/** Path of the event stream, to which browsers can add no header of ours. */
export const STREAM_PATH = "/events";

/** Name of the cookie that carries the one-time password JWT to {@link STREAM_PATH}, and only there. */
export function jwtCookieName(tls: boolean): string {
  return tls ? "__Secure-sluice-otp" : "sluice-otp-http";
}

/** Reads an `Authorization` header: Basic (RFC 7617, UTF-8) or Bearer (RFC 6750). */
export function parseAuthorization(header: string | null): Authorization {
  if (header === null) return { kind: "none" };
  const match = /^([A-Za-z]+) +([!-~]+)$/.exec(header.trim());
  const scheme = match?.[1]?.toLowerCase(), value = match?.[2];
  if (value === undefined) return { kind: "bad" };
  if (scheme === "bearer") return { kind: "bearer", token: value };
  return scheme === "basic" ? parseBasic(value) : { kind: "bad" };
}

function parseBasic(value: string): Authorization {
  let text: string;
  try {
    const bytes = Uint8Array.fromBase64(value, { lastChunkHandling: "loose" });
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { kind: "bad" };
  }
  const colon = text.indexOf(":");
  if (colon < 1 || text.includes("\0")) return { kind: "bad" };
  return { kind: "basic", user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The value of a cookie in a `Cookie` header (RFC 6265 section 4.2); null without one. */
export function readCookie(header: string | null, name: string): string | null {
  for (const pair of (header ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) {
      const value = pair.slice(equals + 1).trim();
      return value === "" ? null : value;
    }
  }
  return null;
}
