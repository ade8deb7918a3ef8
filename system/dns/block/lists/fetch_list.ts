import { isDateFault } from "../../upstream/untrusted_clock.ts";
import type { ByteStream, Outside } from "../../../core/net/transport.ts";
import { type HttpAnswer, httpGet } from "./http_get.ts";
import { ListFault } from "./list_error.ts";
import { saveList } from "./save_list.ts";
import { literalAddress, sourceFault } from "./source.ts";

/** Bytes of a list at most, as it comes out of its compression. */
const MOST_BYTES = 128 << 20;
/** Statuses that lead elsewhere (RFC 9110 15.4). */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Redirects that are followed. */
const MOST_REDIRECTS = 5;
/** Addresses of a host that are tried, one after the other. */
const MOST_ADDRESSES = 4;
/** Milliseconds without a byte after which a source is given up. */
const STALL = 35_000;
/** Milliseconds that a whole list may take. */
const WHOLE = 10 * 60_000;

/** What is known of a list from the last time. */
export interface Validators {
  readonly etag: string;
  readonly modified: string;
}

/** What fetching needs from outside. */
export interface FetchDeps {
  /** Addresses of a host, by our own upstream. Throws when there are none. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** True for an address that lists may come from. */
  readonly allowed: (address: string) => boolean;
  /** Opens a connection to an address, with TLS where it is checked. */
  readonly connect: Outside["stream"];
  /** Certificates (PEM) that are trusted beside the usual ones. */
  readonly trusted?: readonly string[];
  readonly limits?: Partial<FetchLimits>;
}

/** Bounds of a fetch; milliseconds and bytes. */
export interface FetchLimits {
  readonly bytes: number;
  readonly stall: number;
  readonly whole: number;
}

/** What came of a fetch. */
export type Fetched =
  | { readonly changed: false }
  | ({ readonly changed: true; readonly bytes: number } & Validators);

/** One fetch. */
export interface FetchOptions {
  readonly uri: string;
  /** Where the bytes go; replaced only by a whole list. */
  readonly target: string;
  readonly known: Validators | null;
  readonly signal: AbortSignal;
}

/**
 * Fetches a list over http or https. Each host is resolved by our own upstream, its address checked and
 * then used, so that no second look-up can lead elsewhere; each redirect is checked like the first
 * address. Throws {@link ListFault}.
 */
export async function fetchList(options: FetchOptions, deps: FetchDeps): Promise<Fetched> {
  const limits = { bytes: MOST_BYTES, stall: STALL, whole: WHOLE, ...deps.limits };
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  let why = "";
  const end = (reason: string) => () => {
    why ||= reason;
    ending.abort();
  };
  const whole = setTimeout(end("It took too long to send the list"), limits.whole);
  let stall = setTimeout(end("It did not answer in time"), limits.stall);
  const alive = (): void => {
    clearTimeout(stall);
    stall = setTimeout(end("It stopped in the middle of the list"), limits.stall);
  };
  try {
    return await follow(options, { ...deps, limits, signal, alive });
  } catch (error) {
    if (error instanceof ListFault) throw error;
    if (options.signal.aborted) throw new ListFault("The resolver was stopped", error);
    throw new ListFault(why || plainWords(error), error);
  } finally {
    clearTimeout(whole);
    clearTimeout(stall);
  }
}

interface Fetch extends FetchDeps {
  readonly limits: FetchLimits;
  readonly signal: AbortSignal;
  /** Says that something came. */
  readonly alive: () => void;
}

async function follow(options: FetchOptions, deps: Fetch): Promise<Fetched> {
  let url = new URL(options.uri);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const stream = await open(url, deps);
    const end = (): void => stream.close();
    deps.signal.addEventListener("abort", end, { once: true });
    try {
      deps.signal.throwIfAborted();
      const answer = await httpGet(stream, url, headersFor(url, options));
      deps.alive();
      if (answer.status === 304 && options.known !== null) return { changed: false };
      if (!REDIRECTS.includes(answer.status)) {
        const { target } = options;
        const bytes = await saveList(answer, target, {
          most: deps.limits.bytes,
          alive: deps.alive,
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
  throw new ListFault("It redirects again and again");
}

/** A connection to one checked address of the host, whatever its name leads to later. */
async function open(url: URL, deps: Fetch): Promise<ByteStream> {
  const fault = sourceFaultOf(url, deps);
  if (fault !== null) throw new ListFault(fault);
  const literal = literalAddress(url);
  const addresses = literal === null ? await resolved(url, deps) : [literal];
  const allowed = addresses.filter((one) => deps.allowed(one)).slice(0, MOST_ADDRESSES);
  if (allowed.length === 0) {
    throw new ListFault(`${url.hostname} leads to an address that is not on the Internet`);
  }
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const tls = secure ? { host: literal ?? url.hostname, trusted: deps.trusted ?? [] } : null;
  for (const [tried, address] of allowed.entries()) {
    try {
      return await unlessAborted(deps.connect(address, port, tls), deps.signal);
    } catch (error) {
      if (deps.signal.aborted || tried === allowed.length - 1) throw error;
    }
  }
  throw new Error("No address was tried");
}

/** The connection, which is closed when it comes too late. */
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
      // It was not opened, so there is nothing to close.
    });
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** As {@link sourceFault}; which literal addresses may be is asked of the deps. */
function sourceFaultOf(url: URL, { allowed }: Fetch): string | null {
  const literal = literalAddress(url);
  if (literal === null) return sourceFault(url.href);
  const named = new URL(url);
  named.hostname = "literal.invalid";
  return sourceFault(named.href) ??
    (allowed(literal) ? null : `${literal} is an address that is not on the Internet`);
}

async function resolved(url: URL, { resolve }: Fetch): Promise<readonly string[]> {
  try {
    return await resolve(url.hostname);
  } catch (error) {
    throw new ListFault(`The name ${url.hostname} cannot be resolved`, error);
  }
}

function headersFor(url: URL, { known, uri }: FetchOptions): Record<string, string> {
  const headers = { "Accept": "text/plain, */*;q=0.5", "User-Agent": "Sluice" };
  // What was told of one address is not asked of another.
  if (known === null || new URL(uri).href !== url.href) return headers;
  return {
    ...headers,
    ...(known.etag === "" ? {} : { "If-None-Match": known.etag }),
    ...(known.modified === "" ? {} : { "If-Modified-Since": known.modified }),
  };
}

/** Where a redirect leads. */
function redirectOf(url: URL, answer: HttpAnswer): URL {
  const location = answer.headers.get("location") ?? "";
  if (location === "" || !URL.canParse(location, url)) {
    throw new ListFault("It redirects to nowhere");
  }
  const next = new URL(location, url);
  if (url.protocol === "https:" && next.protocol !== "https:") {
    throw new ListFault("It redirects from https to a source without");
  }
  return next;
}

function plainWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (isDateFault(text)) return "Its certificate does not fit the router's clock";
  if (/certificate|UnknownIssuer|NotValidForName/i.test(text)) {
    return "Its certificate is not valid";
  }
  if (/refused/i.test(text)) return "It refuses the connection";
  if (/unreachable|timed out/i.test(text)) return "It cannot be reached";
  if (/space left|ENOSPC|StorageFull/i.test(text)) return "The disk is full";
  return "The connection broke off";
}
