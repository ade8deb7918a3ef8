import type { Config } from "../config.ts";
import type { SecretPath } from "../core/engine/change.ts";
import { invalid } from "../core/errors/problem.ts";
import { inRange4, parseIpv4 } from "../core/net/net.ts";
import { isDeviceAddress, poolsOf } from "../dhcp/tiny_net.ts";
import {
  Dyndns,
  type DyndnsAnswer,
  type DyndnsHost,
  type DyndnsRequest,
  MASK,
  type Provider,
} from "./schema.ts";

/** What each provider needs to know who calls; `url` needs the address that is called. */
const NEEDS: Readonly<Record<Provider, readonly ("password" | "login_token" | "update_url")[]>> = {
  Cloudflare: ["login_token"],
  DuckDNS: ["login_token"],
  Dyn: ["password"],
  Dynu: ["password"],
  Dynv6: ["login_token"],
  HE: ["password"],
  NoIP: ["password"],
  OVH: ["password"],
  Strato: ["password"],
  deSEC: ["login_token"],
  Custom: ["update_url"],
};

const NAMES = {
  password: "the password of the account",
  login_token: "the token that the provider gives out",
  update_url: "the web address that the provider names for updates",
} as const;

/** The names that follow the router's address. */
export function hostsOf({ domains }: Pick<Dyndns, "domains">): readonly DyndnsHost[] {
  return domains.flatMap(({ domain_name: domain, sub_domains }) =>
    (sub_domains.length === 0 ? ["@"] : sub_domains).map((name) => ({
      host: name === "@" || name === "" ? domain : `${name}.${domain}`,
      domain,
    }))
  );
}

/** Replaces the settings of dynamic DNS; masked secrets stay. Throws Problem 400. */
export function setDyndns(config: Config, request: DyndnsRequest): [Config, void] {
  const { ip_url = "", ip_urls, ipv6_url: _, socks5: __, resolver: ___, run_once: ____, ...rest } =
    request;
  const before = config.dyndns;
  const kept = (sent: string, stored: string): string => sent === MASK ? stored : sent;
  const parsed = Dyndns.safeParse({
    ...rest,
    ip_urls: ip_urls ?? (ip_url === "" ? [] : [ip_url]),
    password: kept(request.password, before.password),
    login_token: kept(request.login_token, before.login_token),
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`/${issue!.path.join("/")}`, issue!.message);
  }
  const next = parsed.data;
  if (next.provider !== "") {
    for (const field of NEEDS[next.provider]) {
      if (next[field] === "") throw invalid(`/${field}`, `Write ${NAMES[field]}`);
    }
    if (next.domains.length === 0) {
      throw invalid("/domains", "Write the domain that is to follow the router's address");
    }
    if (next.provider === "Custom" && !next.update_url.includes("{ip}")) {
      throw invalid("/update_url", "The web address has no {ip}, so it would update nothing");
    }
  }
  next.ip_urls.forEach((url, at) => refuseRouter(config, url, `/ip_urls/${at}`));
  refuseRouter(config, next.update_url, "/update_url");
  const secret = next.update_url === before.update_url ? null : writtenSecret(next.update_url);
  if (secret !== null) {
    throw invalid(
      "/update_url",
      `Write {token} as the value of ${secret} and the value into login_token: everybody who may read these ` +
        "settings sees the web address",
    );
  }
  const same = JSON.stringify(before) === JSON.stringify(next);
  return [same ? config : { ...config, dyndns: next }, undefined];
}

/** Throws Problem 400 for a web address in a LAN subnet that is no device's: there is the router itself. */
function refuseRouter({ dhcp }: Config, url: string, pointer: string): void {
  const host = parseIpv4(URL.parse(url.replace(/[{}]/g, "~"))?.hostname ?? "");
  const pools = poolsOf(dhcp.TinyNets);
  if (host === null || !pools.some((pool) => inRange4(pool, host))) return;
  if (isDeviceAddress(host, pools)) return;
  throw invalid(
    pointer,
    "This address is in a LAN subnet and no device's: the router is no provider",
  );
}

/** Names of parameters whose value is a secret. */
const SECRET_NAME = /key|token|pass|pwd|secret|auth/i;

/** The first parameter of a web address that has a secret as its value; null where none has. */
function writtenSecret(url: string): string | null {
  const parameters = URL.parse(url.replace(/[{}]/g, "~"))?.searchParams ?? [];
  for (const [name, value] of parameters) {
    if (SECRET_NAME.test(name) && value !== "" && !value.includes("~")) return name;
  }
  return null;
}

/** Where the secrets are that a request says in clear. */
export function dyndnsSecrets(request: DyndnsRequest): readonly SecretPath[] {
  return (["password", "login_token"] as const)
    .filter((field) => request[field] !== "" && request[field] !== MASK)
    .map((field) => ({ document: "dyndns", path: [field] }));
}

/** The settings for a response. */
export function dyndnsAnswer(settings: Dyndns): DyndnsAnswer {
  const masked = (secret: string): string => secret === "" ? "" : MASK;
  return {
    ...settings,
    password: masked(settings.password),
    login_token: masked(settings.login_token),
    ip_url: settings.ip_urls[0] ?? "",
    ipv6_url: "",
    socks5: "",
    resolver: "",
    run_once: false,
  };
}
