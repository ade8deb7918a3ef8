import { isRecord } from "../../core/config/json.ts";
import { Problem } from "../../core/errors/problem.ts";
import { CERTIFICATE_HASH_HEADER, isCertificateOf } from "../certificate_hash.ts";
import type { LeafCall, LeafResponse, Probed } from "../plan_schema.ts";
import { MAX_CERTIFICATE_BYTES } from "../schema.ts";

/** One request to another router over TLS; what `pinnedRequest` of the host takes. */
export interface RouterRequest {
  readonly address: string;
  /** PEM that it is trusted by; null: nobody is trusted yet, so no secret is sent. */
  readonly pin: string | null;
  readonly method: "GET" | "PUT" | "DELETE";
  readonly path: string;
  readonly token?: string;
  readonly body?: string | ((localAddress: string) => string);
  readonly maxBytes?: number;
  /** Milliseconds for all of it. */
  readonly timeoutMs?: number;
  /** Milliseconds for the TCP connection; default as for all of it. */
  readonly connectTimeoutMs?: number;
}

/** What another router responded. */
export interface RouterResponse {
  readonly status: number;
  header(name: string): string | null;
  readonly body: Uint8Array;
  readonly localAddress: string;
}

/** Sends one request. Throws UntrustedServer or Error. */
export type SendToRouter = (request: RouterRequest) => Promise<RouterResponse>;

/**
 * Milliseconds for the first connection: a router that drops packets says nothing. One that accepts it is
 * there, and may need longer to respond, as a small one that has just turned HTTPS on.
 */
const CONNECT_TIMEOUT_MS = 10_000;
/** Devices of another router that are shown before they go. */
const MAX_SHOWN_DEVICES = 2000;
/** Subnets of another router that are looked at. */
const MAX_NETWORKS = 64;

/**
 * The certificate of a router, proven by its token: fetched from the server at its address, without sending
 * a secret, and taken only with the HMAC that the token makes. Throws Problem 502.
 */
export async function provenCertificate(
  send: SendToRouter,
  { address, token }: { readonly address: string; readonly token: string },
): Promise<string> {
  const response = await send({
    address,
    pin: null,
    method: "GET",
    path: "/mesh/cert",
    maxBytes: MAX_CERTIFICATE_BYTES,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  if (response.status === 404 || response.status === 401) {
    throw new Problem(
      502,
      `The router at ${address} offers no certificate for a mesh. On its Mesh page, let it join a parent`,
    );
  }
  if (response.status !== 200) {
    throw new Problem(502, `The router at ${address} responded ${response.status} to /mesh/cert`);
  }
  if (!isCertificateOf(response.body, token, response.header(CERTIFICATE_HASH_HEADER))) {
    throw new Problem(
      502,
      `The certificate of ${address} is not proven by this token: the token is another router's, or ` +
        "somebody between the two routers changed the certificate. Nothing was sent to it",
      { members: { reason: "certificate" } },
    );
  }
  return new TextDecoder().decode(response.body);
}

/** Looks at a router that is to become a leaf, and changes nothing on it. Throws Problem 502. */
export async function probe(
  send: SendToRouter,
  { address, token, now }: {
    readonly address: string;
    readonly token: string;
    /** Unix milliseconds. */
    readonly now: () => number;
  },
): Promise<Probed> {
  const pin = await provenCertificate(send, { address, token });
  const get = (path: string) => send({ address, pin, token, method: "GET", path });
  const mode = await get("/plugins/mesh/leafMode");
  if (mode.status !== 200) throw refusal(address, mode);
  const [version, devices] = [await get("/version"), await get("/devices")];
  const config = await get("/plugins/mesh/config");
  return {
    TLSCA: pin,
    Version: versionOf(version),
    LeafMode: isTrue(mode),
    ClockAhead: clockAhead(mode, now()),
    LocalAddress: mode.localAddress,
    Devices: devices.status === 200 ? devicesOf(textOf(devices)) : [],
    Networks: config.status === 200 ? networksOf(textOf(config)) : null,
    Plain: config.status === 200 && isPlain(recordOf(textOf(config))),
  };
}

/** Calls one route of the mesh on a leaf. `steady`: monotonic milliseconds. */
export async function callLeaf(
  send: SendToRouter,
  { Leaf, Method, Path, Body, Age }: LeafCall,
  steady: () => number,
): Promise<LeafResponse> {
  const taken = steady();
  // Sent once the leaf is reached, which may take long.
  const aged = (age: number): string => {
    const Seconds = Math.floor((age + steady() - taken) / 1000);
    return JSON.stringify({ ...(isRecord(Body) ? Body : {}), Seconds });
  };
  const body = Age === undefined ? JSON.stringify(Body) : () => aged(Age);
  const response = await send({
    address: Leaf.IP,
    pin: Leaf.TLSCA,
    token: Leaf.APIToken,
    method: Method,
    path: Path,
    ...(body === undefined ? {} : { body }),
  });
  return {
    Status: response.status,
    Body: textOf(response),
    LocalAddress: response.localAddress,
  };
}

/** The text of a response. */
export function textOf({ body }: Pick<RouterResponse, "body">): string {
  return new TextDecoder().decode(body);
}

/** True for `true`, as text or JSON. */
export function isTrue(response: Pick<RouterResponse, "body">): boolean {
  return /^\s*"?true"?\s*$/.test(textOf(response));
}

/** What a router says for people, else its status. */
export function refusalText(response: Pick<RouterResponse, "body" | "status">): string {
  const text = textOf(response);
  try {
    const problem: unknown = JSON.parse(text);
    if (isRecord(problem) && typeof problem["detail"] === "string") {
      return problem["detail"].slice(0, 500);
    }
  } catch {
    // Plain text, as routers without problem documents respond.
  }
  return `It responded ${response.status}`;
}

/** The version that a router responds with; "" for none. */
export function versionOf(response: Pick<RouterResponse, "body" | "status">): string {
  const text = textOf(response).trim().replace(/^"|"$/g, "");
  return response.status === 200 && /^[\x21-\x7e]{1,64}$/.test(text) ? text : "";
}

/** Seconds that the clock of a router is ahead of ours by its `Date` header; null without one. */
export function clockAhead(response: Pick<RouterResponse, "header">, now: number): number | null {
  const at = Date.parse(response.header("date") ?? "");
  return Number.isNaN(at) ? null : Math.round((at - now) / 1000);
}

function refusal(address: string, response: RouterResponse): Problem {
  const detail = response.status === 401 || response.status === 403
    ? `The router at ${address} refuses this token`
    : `The router at ${address} has no mesh: ${refusalText(response)}`;
  return new Problem(502, detail, { members: { reason: "token" } });
}

/**
 * True for the settings of a router of the existing API, which has no links: its leaf mode bridges its clients
 * onto the cable. It does not say its mode with its settings, as every version of this program does.
 */
export function isPlain(config: unknown): boolean {
  return isRecord(config) && !Object.hasOwn(config, "LeafMode");
}

/** The LAN subnets that a router serves; null where it does not say. */
function networksOf(text: string): Probed["Networks"] {
  const raw = recordOf(text)?.["Networks"];
  return Array.isArray(raw)
    ? raw.slice(0, MAX_NETWORKS).map((one) => String(one).slice(0, 64))
    : null;
}

function recordOf(text: string): Record<string, unknown> | null {
  try {
    const raw: unknown = JSON.parse(text);
    return isRecord(raw) ? raw : null;
  } catch {
    return null;
  }
}

function devicesOf(text: string): Probed["Devices"] {
  const raw = recordOf(text);
  if (raw === null) return [];
  return Object.entries(raw).slice(0, MAX_SHOWN_DEVICES).map(([Identity, device]) => ({
    Identity: Identity.slice(0, 64),
    Name: isRecord(device) ? String(device["Name"] ?? "").slice(0, 250) : "",
  }));
}
