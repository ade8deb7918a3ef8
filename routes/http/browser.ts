/** True for a request that a web page may have made: such callers get no sign-in dialog. */
export function isBrowser(headers: Headers): boolean {
  // Over plain HTTP to another machine browsers leave Sec-Fetch-* out, hence the other marks.
  return hasBrowserMarks(headers) || /^Mozilla\//.test(headers.get("user-agent") ?? "");
}

/** True when the request carries a header that only browsers set on behalf of a page. */
export function hasBrowserMarks(headers: Headers): boolean {
  return headers.has("origin") || headers.has("sec-fetch-site");
}

/** True for a request whose credentials are a Bearer token, which no browser sends by itself. */
export function isBearer(headers: Headers): boolean {
  return /^bearer /i.test(headers.get("authorization")?.trimStart() ?? "");
}
