import { isCertificateDateError } from "../../upstream/untrusted_clock.ts";
import type { ByteStream, UpstreamNetwork } from "../../../core/net/transport.ts";
import { httpRequest, type HttpResponse } from "../../../core/net/http_request.ts";
import { ListError } from "./list_error.ts";
import { saveList } from "./save_list.ts";
import { invalidSource, literalAddress } from "./source.ts";

/** Maximum size of a list, decompressed. */
const MAX_BYTES = 128 << 20;
/** Redirect statuses (RFC 9110 15.4). */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;
/** Addresses of a host that are tried one after the other. */
const MAX_ADDRESSES = 4;
/** Milliseconds without data after which a fetch is aborted. */
const STALL_TIMEOUT_MS = 35_000;
/** Milliseconds that a whole fetch may take. */
const TOTAL_TIMEOUT_MS = 10 * 60_000;

/** Cache validators of the last fetch (RFC 9110 8.8). */
export interface Validators {
  readonly etag: string;
  readonly modified: string;
}

/** Dependencies of {@link fetchList}. */
export interface FetchDeps {
  /** Resolves a host by the router's own upstream. Throws when it has no address. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** True for an address that lists may be fetched from. */
  readonly isAllowed: (address: string) => boolean;
  /** Opens a connection to an address, with TLS and certificate check for https. */
  readonly connect: UpstreamNetwork["connect"];
  /** CA certificates (PEM) that are trusted besides the built-in ones. */
  readonly extraCaCertificates?: readonly string[];
  readonly limits?: Partial<FetchLimits>;
}

/** Limits of a fetch. */
export interface FetchLimits {
  readonly maxBytes: number;
  readonly stallTimeoutMs: number;
  readonly totalTimeoutMs: number;
}

/** Result of a fetch. */
export type FetchResult =
  | { readonly changed: false }
  | ({ readonly changed: true; readonly bytes: number } & Validators);

/** Options of one fetch. */
export interface FetchOptions {
  readonly uri: string;
  /** File to write; replaced only by a complete list. */
  readonly target: string;
  readonly known: Validators | null;
  readonly signal: AbortSignal;
}

/**
 * Fetches a list over http or https. Each host is resolved by the router's own upstream, its address is
 * checked and then used, so that no second look-up can yield another; each redirect is checked in the
 * same way. Throws {@link ListError}.
 */
export async function fetchList(options: FetchOptions, deps: FetchDeps): Promise<FetchResult> {
  const limits = {
    maxBytes: MAX_BYTES,
    stallTimeoutMs: STALL_TIMEOUT_MS,
    totalTimeoutMs: TOTAL_TIMEOUT_MS,
    ...deps.limits,
  };
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  let abortReason = "";
  const end = (reason: string) => () => {
    abortReason ||= reason;
    ending.abort();
  };
  const total = setTimeout(end("The download took too long"), limits.totalTimeoutMs);
  let stall = setTimeout(end("The server did not respond in time"), limits.stallTimeoutMs);
  const onProgress = (): void => {
    clearTimeout(stall);
    stall = setTimeout(end("The download stalled"), limits.stallTimeoutMs);
  };
  try {
    return await follow(options, { ...deps, limits, signal, onProgress });
  } catch (error) {
    if (error instanceof ListError) throw error;
    if (options.signal.aborted) throw new ListError("The resolver was stopped", error);
    throw new ListError(abortReason || errorText(error), error);
  } finally {
    clearTimeout(total);
    clearTimeout(stall);
  }
}

interface FetchContext extends FetchDeps {
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  /** Called when data arrived. */
  readonly onProgress: () => void;
}

async function follow(options: FetchOptions, deps: FetchContext): Promise<FetchResult> {
  let url = new URL(options.uri);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const stream = await open(url, deps);
    const end = (): void => stream.close();
    deps.signal.addEventListener("abort", end, { once: true });
    try {
      deps.signal.throwIfAborted();
      const answer = await httpRequest(stream, url, { headers: headersFor(url, options) });
      deps.onProgress();
      if (answer.status === 304 && options.known !== null) return { changed: false };
      if (!REDIRECT_STATUSES.includes(answer.status)) {
        const { target } = options;
        const bytes = await saveList(answer, target, {
          maxBytes: deps.limits.maxBytes,
          onProgress: deps.onProgress,
        });
        const { headers } = answer;
        return {
          changed: true,
          bytes,
          etag: headers.get("etag") ?? "",
          modified: headers.get("last-modified") ?? "",
        };
      }
      url = redirectOf(url, answer);
    } finally {
      deps.signal.removeEventListener("abort", end);
      stream.close();
    }
  }
  throw new ListError("The server sends too many redirects");
}

/** A connection to one checked address of the host. */
async function open(url: URL, deps: FetchContext): Promise<ByteStream> {
  const problem = invalidSourceFor(url, deps);
  if (problem !== null) throw new ListError(problem);
  const literal = literalAddress(url);
  const addresses = literal === null ? await resolved(url, deps) : [literal];
  const allowed = addresses.filter((one) => deps.isAllowed(one)).slice(0, MAX_ADDRESSES);
  if (allowed.length === 0) {
    throw new ListError(`${url.hostname} resolves to an address that is not on the Internet`);
  }
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const tls = secure
    ? { serverName: literal ?? url.hostname, trusted: deps.extraCaCertificates ?? [] }
    : null;
  for (const [tried, address] of allowed.entries()) {
    try {
      return await unlessAborted(deps.connect(address, port, tls), deps.signal);
    } catch (error) {
      if (deps.signal.aborted || tried === allowed.length - 1) throw error;
    }
  }
  throw new Error("No address was tried");
}

/** The connection; it is closed when it is opened after the abort. */
async function unlessAborted(
  opening: Promise<ByteStream>,
  signal: AbortSignal,
): Promise<ByteStream> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([opening, promise]);
  } catch (error) {
    opening.then((stream) => stream.close(), () => {
      // It was not opened.
    });
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** As {@link invalidSource}, but `isAllowed` decides on literal addresses. */
function invalidSourceFor(url: URL, { isAllowed }: FetchContext): string | null {
  const literal = literalAddress(url);
  if (literal === null) return invalidSource(url.href);
  const named = new URL(url);
  named.hostname = "literal.invalid";
  return invalidSource(named.href) ??
    (isAllowed(literal) ? null : `The address ${literal} is not on the Internet`);
}

async function resolved(url: URL, { resolve }: FetchContext): Promise<readonly string[]> {
  try {
    return await resolve(url.hostname);
  } catch (error) {
    throw new ListError(`${url.hostname} could not be resolved`, error);
  }
}

function headersFor(url: URL, { known, uri }: FetchOptions): Record<string, string> {
  const headers = { "Accept": "text/plain, */*;q=0.5", "User-Agent": "Sluice" };
  // Validators of one URL are not sent to another.
  if (known === null || new URL(uri).href !== url.href) return headers;
  return {
    ...headers,
    ...(known.etag === "" ? {} : { "If-None-Match": known.etag }),
    ...(known.modified === "" ? {} : { "If-Modified-Since": known.modified }),
  };
}

/** Target of a redirect. */
function redirectOf(url: URL, answer: HttpResponse): URL {
  const location = answer.headers.get("location") ?? "";
  if (location === "" || !URL.canParse(location, url)) {
    throw new ListError("The server sends a redirect without a valid target");
  }
  const next = new URL(location, url);
  if (url.protocol === "https:" && next.protocol !== "https:") {
    throw new ListError("The server redirects from https to http");
  }
  return next;
}

function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (isCertificateDateError(text)) {
    return "The server certificate is not valid at the router's time; check the clock";
  }
  if (/certificate|UnknownIssuer|NotValidForName/i.test(text)) {
    return "The server certificate is not valid";
  }
  if (/refused/i.test(text)) return "The server refused the connection";
  if (/unreachable|timed out/i.test(text)) return "The server is unreachable";
  if (/space left|ENOSPC|StorageFull/i.test(text)) return "The disk is full";
  return "The connection was interrupted";
}
