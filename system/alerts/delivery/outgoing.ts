import { httpRequest, type HttpResponse } from "../../core/net/http_request.ts";
import { parseAddress } from "../../core/net/net.ts";
import type { ByteStream, UpstreamNetwork } from "../../core/net/transport.ts";
import type { Outcome } from "./outbox_rules.ts";
import { addressFault, type OwnNetwork } from "./own_network.ts";

/** Addresses of a host that are tried one after the other. */
const MAX_ADDRESSES = 4;
/** Bytes of a response that are read, and characters that are shown. */
const MAX_RESPONSE = 2048, MAX_SHOWN = 300;

/** What a message goes out through. */
export interface Outgoing {
  /** Resolves a host. Throws when it has no address. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Opens a connection to an address, with TLS and certificate check where requested. */
  readonly connect: UpstreamNetwork["connect"];
  readonly own: OwnNetwork;
  /** Private addresses and those of the LAN may be sent to. */
  readonly localNetwork: boolean;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** An attempt that came to nothing; its message is for people. */
export class DeliveryError extends Error {
  readonly outcome: Outcome;

  constructor(kind: Exclude<Outcome["kind"], "sent">, message: string) {
    super(message);
    this.outcome = { kind, message };
  }
}

/**
 * Addresses of a host that may be sent to: looked up once and used as they are, so that no second look-up
 * can give another. Throws {@link DeliveryError}.
 */
export async function allowedAddresses(
  host: string,
  { resolve, own, localNetwork, signal }: Outgoing,
): Promise<readonly string[]> {
  const found = parseAddress(host) === null ? await resolved(host, resolve, signal) : [host];
  const judged = found.map((address) => ({
    address,
    fault: addressFault(address, { own, localNetwork }),
  }));
  const allowed = judged.filter(({ fault }) => fault === null).map(({ address }) => address);
  const [refused] = judged;
  if (allowed.length === 0 && refused !== undefined) {
    const of = refused.address === host ? "" : ` (the address of ${host})`;
    throw new DeliveryError("refused", `Not sent: ${refused.fault}${of}`);
  }
  return allowed.slice(0, MAX_ADDRESSES);
}

async function resolved(
  host: string,
  resolve: Outgoing["resolve"],
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const found = await unlessAborted(resolve(host), signal);
    if (found.length > 0) return found;
  } catch {
    signal.throwIfAborted();
  }
  throw new DeliveryError("away", `The name ${host} cannot be resolved`);
}

/** A request of a message. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Posts a request to a checked address; redirects are not followed. Throws {@link DeliveryError}. */
export async function post(
  { url: text, headers, body }: OutgoingRequest,
  outgoing: Outgoing,
): Promise<Outcome> {
  const url = new URL(text);
  const stream = await connected(url, outgoing);
  const end = (): void => stream.close();
  outgoing.signal.addEventListener("abort", end, { once: true });
  try {
    const response = await httpRequest(stream, url, {
      headers: { "User-Agent": "Sluice", ...headers },
      body,
    });
    return outcomeOf(response, await beginning(response));
  } catch (error) {
    outgoing.signal.throwIfAborted();
    throw new DeliveryError("away", `${url.host}: ${label(error)}`);
  } finally {
    outgoing.signal.removeEventListener("abort", end);
    stream.close();
  }
}

async function connected(url: URL, outgoing: Outgoing): Promise<ByteStream> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const tls = secure ? { serverName: host, trusted: [] } : null;
  let problem: unknown = null;
  for (const address of await allowedAddresses(host, outgoing)) {
    try {
      const opening = outgoing.connect(address, port, tls);
      return await unlessAborted(opening, outgoing.signal, (stream) => stream.close());
    } catch (error) {
      outgoing.signal.throwIfAborted();
      problem = error;
    }
  }
  throw new DeliveryError("away", `${url.host}: ${label(problem)}`);
}

/** The value, unless the signal ends the wait before; one that comes too late is given to `late`. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  late: (value: T) => void = () => {},
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, promise]);
  } catch (error) {
    if (signal.aborted) work.then(late, () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** What a status means: RFC 9110 15, RFC 6585 4 and RFC 8470 5.2 for those that ask for a later attempt. */
function outcomeOf({ status, headers }: HttpResponse, text: string): Outcome {
  const message = shown(`${status}${text === "" ? "" : ` ${text}`}`);
  if (status >= 200 && status < 300) return { kind: "sent", message };
  if (status < 400) {
    const to = shown(headers.get("location") ?? "").slice(0, 100);
    return {
      kind: "refused",
      message: `${status}: redirects are not followed${to === "" ? "" : `; it points to ${to}`}`,
    };
  }
  const isBusy = status >= 500 || status === 408 || status === 425 || status === 429;
  return { kind: isBusy ? "busy" : "refused", message };
}

/** The beginning of a body, which may have no end. */
async function beginning({ body }: HttpResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "", size = 0;
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    if ((size += bytes.length) >= MAX_RESPONSE) break;
  }
  return text;
}

/** Words of a receiver on one line. */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim().slice(0, MAX_SHOWN)
    .toWellFormed();
}

/** An error of a connection in words. */
function label(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/certificate|UnknownIssuer|NotValidForName/i.test(text)) {
    return "the certificate is not valid";
  }
  if (/refused/i.test(text)) return "the connection was refused";
  if (/unreachable|no route|timed out|timeout|aborted/i.test(text)) return "no response";
  if (/^The response/.test(text)) return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  return "the connection was interrupted";
}
