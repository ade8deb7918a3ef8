import { isRecord } from "../core/config/json.ts";
import type { DyndnsAccount, DyndnsHost, Provider } from "./schema.ts";

/** A request to a provider. */
export interface WebRequest {
  readonly method: "GET" | "POST" | "PATCH";
  readonly url: string;
  /** Name and password of HTTP Basic; null for none. */
  readonly user: { readonly name: string; readonly password: string } | null;
  readonly headers: Readonly<Record<string, string>>;
  /** "" for none. */
  readonly body: string;
}

/** What came back. */
export interface WebAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. Throws an Error whose message is for people where nothing comes back. */
export type Send = (request: WebRequest) => Promise<WebAnswer>;

/** What came of an update. A refused one is not tried again by itself: providers block who does. */
export interface Verdict {
  readonly kind: "done" | "refused" | "failed";
  readonly message: string;
}

const GET = { method: "GET", user: null, headers: {}, body: "" } as const;

/** Providers that follow the protocol of dyndns.com, by the start of their update address. */
const DYNDNS2: Readonly<Partial<Record<Provider, string>>> = {
  Dyn: "https://members.dyndns.org/nic/update?",
  Dynu: "https://api.dynu.com/nic/update?",
  HE: "https://dyn.dns.he.net/nic/update?",
  NoIP: "https://dynupdate.no-ip.com/nic/update?",
  OVH: "https://www.ovh.com/nic/update?system=dyndns&",
  Strato: "https://dyndns.strato.com/nic/update?",
};

/** First words of a provider that accepted an update. */
const GOOD = ["good", "nochg"];
const EXPECTED: Readonly<Partial<Record<Provider, readonly string[]>>> = {
  DuckDNS: ["ok"],
  deSEC: GOOD,
};

/** Words of that protocol that mean: change something before you call again. */
const REFUSALS: Readonly<Record<string, string>> = {
  badauth: "The provider rejected user name or password",
  badagent: "The provider does not accept this program",
  "!donator": "The account does not include this",
  notfqdn: "The provider does not accept this name",
  nohost: "The name does not belong to this account",
  numhost: "Too many names in one update",
  abuse: "The provider blocked the name for too many updates",
};

/** Sets the address of a name. Never throws. */
export async function updateHost(
  account: DyndnsAccount,
  target: DyndnsHost & { readonly address: string },
  send: Send,
): Promise<Verdict> {
  try {
    return account.provider === "Cloudflare"
      ? await cloudflare(account, target, send)
      : judge(account, await send(requestOf(account, target)));
  } catch (error) {
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

function requestOf(
  account: DyndnsAccount,
  { host, domain, address }: DyndnsHost & { readonly address: string },
): WebRequest {
  const { provider, email, password, login_token: token } = account;
  const [name, ip] = [encodeURIComponent(host), encodeURIComponent(address)];
  const start = DYNDNS2[provider];
  if (start !== undefined) {
    // There the name itself is the user.
    const user = { name: provider === "HE" && email === "" ? host : email, password };
    return { ...GET, url: `${start}hostname=${name}&myip=${ip}`, user };
  }
  const key = encodeURIComponent(token);
  switch (provider) {
    case "DuckDNS": {
      const label = encodeURIComponent(host.replace(/\.duckdns\.org$/, ""));
      return {
        ...GET,
        url: `https://www.duckdns.org/update?domains=${label}&token=${key}&ip=${ip}`,
      };
    }
    case "Dynv6":
      return {
        ...GET,
        url: `https://dynv6.com/api/update?hostname=${name}&token=${key}&ipv4=${ip}`,
      };
    case "deSEC":
      return {
        ...GET,
        url: `https://update.dedyn.io/?hostname=${name}&myipv4=${ip}&myipv6=preserve`,
        headers: { authorization: `Token ${token}` },
      };
    default: {
      const values: Readonly<Record<string, string>> = {
        host: name,
        domain: encodeURIComponent(domain),
        ip,
        token: key,
      };
      const url = account.update_url.replace(
        /\{(host|domain|ip|token)\}/g,
        (_, field: string) => values[field]!,
      );
      return { ...GET, url, user: password === "" ? null : { name: email, password } };
    }
  }
}

/**
 * A web page in place of a result. Some providers respond so; without encryption it may as well be
 * the login page of the network in between.
 */
function judgePage({ provider, update_url }: DyndnsAccount): Verdict {
  return provider === "Custom" && /^https:/i.test(update_url)
    ? {
      kind: "done",
      message: "The provider responded with a web page; check that the name follows",
    }
    : { kind: "failed", message: "A web page came back instead of what the provider says" };
}

function judge(account: DyndnsAccount, { status, text }: WebAnswer): Verdict {
  const { provider } = account;
  const word = /^\s*([!A-Za-z0-9]{1,16})/.exec(text)?.[1]?.toLowerCase() ?? "";
  const refusal = Object.hasOwn(REFUSALS, word) ? REFUSALS[word] : undefined;
  if (refusal !== undefined) return { kind: "refused", message: refusal };
  if (status === 401 || status === 403) {
    return { kind: "refused", message: "The provider rejected user name, password or token" };
  }
  if (provider === "DuckDNS" && word === "ko") {
    return { kind: "refused", message: "The provider rejected the token or the name" };
  }
  if (status < 200 || status > 299) {
    return { kind: "failed", message: `The provider responded with status ${status}` };
  }
  if (word === "911" || word === "dnserr") {
    return { kind: "failed", message: "The provider has a fault of its own" };
  }
  if (/^\s*</.test(text)) return judgePage(account);
  const expected = EXPECTED[provider] ?? (DYNDNS2[provider] === undefined ? null : GOOD);
  return expected === null || expected.includes(word)
    ? { kind: "done", message: word === "nochg" ? "It was so already" : "Updated" }
    : { kind: "failed", message: "The provider responded with something else than expected" };
}

const CLOUDFLARE = "https://api.cloudflare.com/client/v4";

/** Cloudflare has an API of its own: find the zone, find the record, change or add it. */
async function cloudflare(
  account: DyndnsAccount,
  { host, domain, address }: DyndnsHost & { readonly address: string },
  send: Send,
): Promise<Verdict> {
  const headers = {
    authorization: `Bearer ${account.login_token}`,
    "content-type": "application/json",
  };
  const call = async (request: Pick<WebRequest, "method" | "url" | "body">) => {
    const { status, text } = await send({ ...GET, headers, ...request });
    return { status, result: resultOf(text) };
  };
  const query = (path: string) => call({ method: "GET", url: `${CLOUDFLARE}${path}`, body: "" });
  const zones = await query(`/zones?name=${encodeURIComponent(domain)}`);
  if (zones.status === 400 || zones.status === 401 || zones.status === 403) {
    return { kind: "refused", message: "Cloudflare rejected the token" };
  }
  const zone = idOf(zones.result);
  if (zone === null) {
    return { kind: "refused", message: "The domain is not among those that the token may change" };
  }
  const path = `/zones/${zone}/dns_records`;
  const records = await query(`${path}?type=A&name=${encodeURIComponent(host)}`);
  const record = idOf(records.result);
  const [first] = Array.isArray(records.result) ? records.result : [];
  if (isRecord(first) && first["content"] === address) {
    return { kind: "done", message: "It was so already" };
  }
  const written = record === null
    ? await call({
      method: "POST",
      url: `${CLOUDFLARE}${path}`,
      body: JSON.stringify({ type: "A", name: host, content: address, ttl: 60, proxied: false }),
    })
    : await call({
      method: "PATCH",
      url: `${CLOUDFLARE}${path}/${record}`,
      body: JSON.stringify({ content: address }),
    });
  return written.result === null
    ? { kind: "failed", message: `Cloudflare responded with status ${written.status}` }
    : { kind: "done", message: "Updated" };
}

/** The result of a response of Cloudflare that reports success; null for any other. */
function resultOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && value["success"] === true ? value["result"] ?? null : null;
  } catch {
    return null;
  }
}

/** The ID of the first of a list; null for none, or for one that is no ID. */
function idOf(list: unknown): string | null {
  const [first] = Array.isArray(list) ? list : [];
  const id = isRecord(first) ? first["id"] : null;
  return typeof id === "string" && /^[0-9A-Za-z]{1,64}$/.test(id) ? id : null;
}
