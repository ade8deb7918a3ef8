import type * as z from "zod";
import type { Document, Reading, RejectedEntry } from "../core/config/document.ts";
import { isRecord } from "../core/config/json.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
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
  const given = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const rejected: RejectedEntry[] = [];
  const entries = {
    Peers: list(given["Peers"], "Peers", VpnPeer, ({ PublicKey }) => [PublicKey], rejected),
    Sites: list(
      given["Sites"],
      "Sites",
      Site,
      ({ Name, Interface }) => [`name ${Name}`, Interface],
      rejected,
    ),
  };
  const value = Wireguard.safeParse({ ...DEFAULT_WIREGUARD, ...given, ...entries });
  if (value.success) return { value: value.data, rejected };
  const [issue] = value.error.issues;
  throw new Problem(400, `${pointer(issue!.path)}: ${issue!.message}`);
}

/** The entries of a list that can be used, each known by its names. */
function list<T>(
  raw: unknown,
  field: string,
  shape: z.ZodType<T>,
  namesOf: (entry: T) => readonly string[],
  rejected: RejectedEntry[],
): readonly T[] {
  const seen = new Set<string>();
  return (Array.isArray(raw) ? raw : []).flatMap((entry: unknown, index) => {
    const parsed = shape.safeParse(entry);
    if (!parsed.success) {
      const issue = parsed.error.issues[0]!;
      const at = pointer([field, index, ...issue.path]);
      rejected.push({ pointer: at, message: issue.message, raw: entry });
      return [];
    }
    const names = namesOf(parsed.data);
    if (names.some((name) => seen.has(name))) {
      const at = pointer([field, index]);
      rejected.push({ pointer: at, message: "It stands twice; the first is used", raw: entry });
      return [];
    }
    for (const name of names) seen.add(name);
    return [parsed.data];
  });
}
