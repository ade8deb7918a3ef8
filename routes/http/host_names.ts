import { parseAddress } from "../../system/core/net/net.ts";

/** What the router is called. */
export interface HostNameSources {
  readonly hostName: string;
  /** What people call it; "" for none. Its own name goes on to hold. */
  readonly chosenName: string;
  /** Name announced by multicast DNS, without `.local`; null when none is. */
  readonly mdnsName: string | null;
  /** Names of the TLS certificate; a leading `*.` covers one label. */
  readonly certificateNames: readonly string[];
  /** Names that people added in `configs/base/names.json`. */
  readonly configured: readonly string[];
  /** True until setup is done. */
  readonly setupOpen: boolean;
}

/** Every name under which the router answers, in lower case. */
export function hostNames(sources: HostNameSources): ReadonlySet<string> {
  const { hostName, chosenName, mdnsName } = sources;
  const own = [chosenName, hostName].filter((name) => name !== "");
  const names = ["localhost", ...own.flatMap(namesAtHome)];
  if (mdnsName !== null) names.push(`${mdnsName}.local`);
  if (sources.setupOpen) names.push("sluice.setup.lan");
  return new Set(
    [...names, ...sources.certificateNames, ...sources.configured]
      .map(plainName)
      .filter((name) => name !== ""),
  );
}

/** A name of the router as it is, and where its home's resolver and multicast DNS know it. */
export function namesAtHome(name: string): readonly string[] {
  return [name, `${name}.lan`, `${name}.local`].map(plainName);
}

/** True for a `Host` value that means this router: an IP literal or one of its names, any port. */
export function isOurHost(host: string, names: ReadonlySet<string>): boolean {
  const name = hostOf(host);
  if (name === null) return false;
  if (parseAddress(name) !== null || name === "localhost" || names.has(name)) return true;
  const dot = name.indexOf(".");
  return dot > 0 && names.has(`*${name.slice(dot)}`);
}

/** What a request calls us: its `Host`, or under HTTP/2 its `:authority`, which stands in the URL. */
export function requestHost(request: Request): string {
  return request.headers.get("host") ?? URL.parse(request.url)?.host ?? "";
}

/** The name or address in a `Host` value, without port and brackets; null when it is malformed. */
export function hostOf(host: string): string | null {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(host.trim());
  const name = match?.[1] ?? match?.[2];
  return name === undefined ? null : plainName(name);
}

function plainName(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, "");
}
