import { askTogether, type Reply } from "./batch.ts";
import { type ApiProblem, lostWrite, notResponding, problemOf } from "./problem.ts";
import { shownWhenSlow } from "./waiting.ts";

export type Method = "GET" | "HEAD" | "PUT" | "POST" | "DELETE";

/** A request to the API. */
export interface Request {
  readonly method?: Method;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Entity tag that must still hold. */
  readonly ifMatch?: string | null;
  /** Creates and never replaces. */
  readonly ifAbsent?: boolean;
  /** Seconds after which the change reverts unless it is confirmed. */
  readonly confirmWithin?: number | null;
  /** `user:password`, for signing in only. */
  readonly basic?: string;
  /** A token in the place of the session, such as the one-time code of setup. */
  readonly bearer?: string;
  /** Asks nobody: a 401 or a missing code is thrown at once. */
  readonly quiet?: boolean;
  /** The answer is a file, whatever is in it. */
  readonly file?: boolean;
}

export interface Answer<T> {
  readonly body: T;
  readonly changeId: string | null;
  /** True when it was answered before it was applied, since it changes the connection to this page. */
  readonly early: boolean;
  /** For a confirm window: its single-use token, and the router’s addresses meanwhile. */
  readonly confirm: { readonly token: string; readonly addresses: readonly string[] } | null;
  readonly etag: string | null;
  /** The device that a write made or met, as `Device-Identity` names it. */
  readonly identity: string | null;
  /** Where a search of events stopped before its end, as `Search-Stopped-At` says; null: it did not. */
  readonly stoppedAt: string | null;
}

/** Asks the person for a sign-in or a code; both return false when the person cancels. */
export interface Reauthentication {
  signIn(): Promise<boolean>;
  otp(): Promise<boolean>;
}

/** Reads of the shell and of Home: what they ask for in one turn goes in one request. */
const TOGETHER = new RegExp(
  "^/(devices|groups|network|notices|packages|changes(/window)?|interfacesConfiguration|ip/addr|" +
    "wan/(status|history/[^/]+)|traffic_rates|traffic_insights/overview|plugins/dns/log/status|" +
    "info/(resources|uptime)|wifi/clients)$",
);
const OTP_KEY = "sluice.otp";
let reauthentication: Reauthentication | null = null;

/** Sets who asks the person; called once at start. */
export function setReauthentication(value: Reauthentication): void {
  reauthentication = value;
}

/** Keeps the proof of the second factor for this tab; null forgets it. */
export function setOtpToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(OTP_KEY);
  else sessionStorage.setItem(OTP_KEY, token);
}

/** Calls the API; throws {@link ApiProblem}. Asks the person to sign in or for a code where needed. */
export async function call<T = void>(request: Request): Promise<Answer<T>> {
  for (let attempt = 0;; attempt++) {
    const response = await reply(request);
    if (response.ok) {
      return await read<T>(response, request).catch((error) => {
        // An answer that breaks off is lost as one that never comes.
        throw error instanceof TypeError ? lost(request) : error;
      });
    }
    const problem = await problemOf(response);
    if (request.quiet || reauthentication === null || attempt > 1) throw problem;
    if (problem.needsOtp) {
      setOtpToken(null);
      if (await reauthentication.otp()) continue;
    } else if (problem.status === 401 && await reauthentication.signIn()) continue;
    throw problem;
  }
}

/** Sends a request, together with others where it may go with them. */
async function reply(request: Request): Promise<Reply> {
  return await (isReadTogether(request) ? askTogether(request, send) : send(request));
}

/** True for a plain read that may go with others. */
function isReadTogether(
  { method = "GET", path, body, ifMatch, basic, bearer, quiet, file }: Request,
): boolean {
  return method === "GET" && TOGETHER.test(path) && body === undefined && !ifMatch &&
    basic === undefined && bearer === undefined && !quiet && !file;
}

async function send(request: Request): Promise<Response> {
  const headers = new Headers({ Accept: "application/json" });
  const otp = sessionStorage.getItem(OTP_KEY);
  if (otp !== null) headers.set("X-JWT-OTP", otp);
  if (request.body !== undefined) headers.set("Content-Type", "application/json");
  if (request.ifMatch) headers.set("If-Match", request.ifMatch);
  if (request.ifAbsent) headers.set("If-None-Match", "*");
  if (request.confirmWithin) headers.set("Confirm-Within", String(request.confirmWithin));
  if (request.basic !== undefined) headers.set("Authorization", `Basic ${base64(request.basic)}`);
  if (request.bearer !== undefined) headers.set("Authorization", `Bearer ${request.bearer}`);
  const query = new URLSearchParams(request.query ?? {}).toString();
  const init: RequestInit = {
    method: request.method ?? "GET",
    headers,
    credentials: "same-origin",
  };
  if (request.body !== undefined) init.body = JSON.stringify(request.body);
  const isRead = init.method === "GET" || init.method === "HEAD";
  try {
    const answer = fetch(query === "" ? request.path : `${request.path}?${query}`, init);
    // What is only read has its own place on the page where it shows that it loads.
    return await (isRead && !request.file ? answer : shownWhenSlow(answer));
  } catch {
    throw lost(request);
  }
}

/** The problem of a request without an answer: what it writes may have been written. */
function lost({ method = "GET", query }: Request): ApiProblem {
  const changesNothing = method === "GET" || method === "HEAD" || query?.["dryRun"] === "true";
  return changesNothing ? notResponding() : lostWrite();
}

async function read<T>(response: Reply, { method, file }: Request): Promise<Answer<T>> {
  const type = response.headers.get("Content-Type") ?? "";
  const body = file
    ? await response.blob()
    : type.includes("json") && method !== "HEAD"
    ? await response.json()
    : undefined;
  const token = response.headers.get("Confirm-Token");
  const addresses = response.headers.get("Router-Addresses") ?? "";
  return {
    body: body as T,
    changeId: response.headers.get("Change-Id"),
    early: response.status === 202,
    confirm: token === null ? null : { token, addresses: addresses.split(/, ?/).filter(Boolean) },
    etag: response.headers.get("ETag"),
    identity: response.headers.get("Device-Identity"),
    stoppedAt: response.headers.get("Search-Stopped-At"),
  };
}

/** Base64 of UTF-8, as RFC 7617 wants it. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** `PUT path` with a JSON body. */
export function put<T = void>(path: string, body?: unknown): Promise<Answer<T>> {
  return call<T>({ method: "PUT", path, body });
}

/** The device's own entity tag; null when it is unavailable, so that the write goes without. */
export async function deviceTag(identity: string): Promise<string | null> {
  try {
    return (await call({ method: "HEAD", path: "/device", query: { identity }, quiet: true })).etag;
  } catch {
    return null;
  }
}
