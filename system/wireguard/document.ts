import type * as z from "zod";
import type { Document, Reading } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { issueMessage, readList, withoutNulls } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { readServerFile } from "./files/server_file.ts";
import { DEFAULT_WIREGUARD, Site, VpnPeer, Wireguard } from "./schema.ts";

/** Fields that no response, event or log shows. */
const SECRETS: readonly string[] = ["PrivateKey", "PresharedKey"];

/** The WireGuard tunnels: settings, peers and sites. */
export const wireguardDocument: Document<Wireguard> = {
  path: "wireguard/wireguard.json",
  topic: "wireguard",
  schema: Wireguard,
  fallback: DEFAULT_WIREGUARD,
  read,
  older: { path: "wireguard/wg0.conf", isText: true, read: readServerFile },
  fit: withOwnInterfaces,
  secret: (path) => SECRETS.includes(path.at(-1) ?? ""),
  keyOf: (element) =>
    !isRecord(element)
      ? String(element)
      : "PublicKey" in element
      ? String(element.PublicKey)
      : String(element.Name),
};

/** A site that comes back, and whose interface is another's today, gets the next free one. */
function withOwnInterfaces(next: Wireguard, today: Wireguard): Wireguard {
  const stands = new Map(today.Sites.map(({ Name, Interface }) => [Interface, Name]));
  const isTaken = ({ Name, Interface }: Site) => (stands.get(Interface) ?? Name) !== Name;
  if (!next.Sites.some(isTaken)) return next;
  const used = new Set([...next.Sites, ...today.Sites].map(({ Interface }) => Interface));
  const Sites = next.Sites.map((site) => {
    if (!isTaken(site)) return site;
    let number = 0;
    while (used.has(`site${number}`)) number++;
    used.add(`site${number}`);
    return { ...site, Interface: `site${number}` };
  });
  return { ...next, Sites };
}

/** Reads the file; a peer or site that is none, or stands twice, is rejected. */
function read(raw: unknown): Reading<Wireguard> {
  if (!isRecord(raw)) throw new Problem(400, "The file of WireGuard is {Enabled, Peers: [...], …}");
  const given = withoutNulls(raw);
  const peers = list(given["Peers"], "Peers", {
    schema: VpnPeer,
    namesOf: ({ PublicKey }) => [PublicKey],
  });
  const sites = list(given["Sites"], "Sites", {
    schema: Site,
    namesOf: ({ Name, Interface }) => [`name ${Name}`, Interface],
  });
  const lists = { Peers: peers.value, Sites: sites.value };
  const value = Wireguard.safeParse({ ...DEFAULT_WIREGUARD, ...given, ...lists });
  if (!value.success) throw new Problem(400, issueMessage(value.error));
  return { value: value.data, rejected: [...peers.rejected, ...sites.rejected] };
}

/** The entries of a list that can be used, each known by its names. */
function list<T>(
  raw: unknown,
  field: string,
  { schema, namesOf }: {
    readonly schema: z.ZodType<T>;
    readonly namesOf: (entry: T) => readonly string[];
  },
): Reading<T[]> {
  const seen = new Set<string>();
  return readList(Array.isArray(raw) ? raw : [], {
    schema,
    at: [field],
    fault(entry) {
      const names = namesOf(entry);
      if (names.some((name) => seen.has(name))) return "It stands twice; the first is used";
      for (const name of names) seen.add(name);
      return null;
    },
  });
}
