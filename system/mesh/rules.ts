import type { Config } from "../config.ts";
import { conflict, invalid, notFound, sentence } from "../core/errors/problem.ts";
import { formatAddress, parseAddress } from "../core/net/net.ts";
import { MASK } from "../devices/schema.ts";
import type { LeafRouter, LeafRouterRequest, Mesh, MeshLink, ParentCredentials } from "./schema.ts";

/** Name of the API token that a leaf gives to its parent, as existing clients make it. */
export const LEAF_TOKEN_NAME = "PLUS-MESH-API-DOWNHAUL-TOKEN";
/** Name of the API token that a parent gives to its leaves. */
export const REPORT_TOKEN_NAME = "PLUS-MESH-API-TOKEN";

/** What a leaf's token opens: what a parent needs of its leaf, and nothing more. */
export const LEAF_TOKEN_SCOPES: readonly string[] = [
  ...["/devices", "/plugins/mesh", "/topology:r", "/version:r", "/notices:r", "/logs:r", "/update"],
];
/** What the parent's token opens: reports of stations. */
export const REPORT_TOKEN_SCOPES: readonly string[] = [
  ...["/reportPSKAuthSuccess", "/reportPSKAuthFailure", "/reportDisconnect"],
];

/** The stored leaf router of an address; null for none. */
export function leafOf({ LeafRouters }: Mesh, address: string): LeafRouter | null {
  const wanted = canonicalAddress(address);
  return LeafRouters.find(({ IP }) => canonicalAddress(IP) === wanted) ?? null;
}

/** The token that a request means: the one it says, else the stored one. Throws Problem 400. */
export function meantToken(mesh: Mesh, { IP, APIToken }: LeafRouterRequest): string {
  if (APIToken !== "" && APIToken !== MASK) return APIToken;
  const stored = leafOf(mesh, IP)?.APIToken ?? "";
  if (stored !== "") return stored;
  throw invalid("/APIToken", "Write the token that the leaf router shows on its Mesh page");
}

/**
 * Adds a leaf router, or replaces the one of its address. Its certificate must have been verified.
 * Throws Problem 409 on a leaf.
 */
export function putLeaf(config: Config, leaf: LeafRouter): [Config, void] {
  const { mesh } = config;
  if (mesh.LeafMode) {
    throw conflict("This router is a leaf itself; turn leaf mode off before it gets leaf routers");
  }
  const stored = leafOf(mesh, leaf.IP);
  if (
    stored !== null && stored.APIToken === leaf.APIToken && stored.TLSCA === leaf.TLSCA &&
    sameLink(stored.Link, leaf.Link) && sameKeys(stored, leaf) &&
    stored.KeyReplaced === leaf.KeyReplaced && stored.Plain === leaf.Plain
  ) return [config, undefined];
  const LeafRouters = stored === null
    ? [...mesh.LeafRouters, leaf]
    : mesh.LeafRouters.map((one) => one === stored ? { ...leaf, IP: stored.IP } : one);
  return [{ ...config, mesh: { ...mesh, LeafRouters } }, undefined];
}

/** The link to a leaf of this address: with the number that it has, else the first that is free. */
export function linkFor(mesh: Mesh, address: string, Kind: MeshLink["Kind"]): MeshLink {
  const stored = leafOf(mesh, address)?.Link ?? null;
  if (stored !== null) return { ...stored, Kind };
  const taken = new Set(mesh.LeafRouters.map(({ Link }) => Link?.Number));
  let Number = 1;
  while (taken.has(Number)) Number++;
  return { Kind, Number };
}

/**
 * The kind of link that a request means: that of a link as responses show it, where it is sent back so.
 * `plain`: the leaf is a router of the existing API.
 */
export function wantedKind(
  Link: LeafRouterRequest["Link"],
  plain: boolean,
): MeshLink["Kind"] | "none" {
  if (Link === null) return "none";
  if (Link === "auto") return plain ? "none" : "wireguard";
  return typeof Link === "string" ? Link : Link.Kind;
}

function sameLink(a: MeshLink | null, b: MeshLink | null): boolean {
  return a?.Kind === b?.Kind && a?.Number === b?.Number;
}

type TunnelKeys = Pick<LeafRouter, "TunnelKey" | "PeerKey">;

function sameKeys(a: TunnelKeys, b: TunnelKeys): boolean {
  return a.TunnelKey === b.TunnelKey && a.PeerKey === b.PeerKey;
}

/**
 * The private key of a leaf for its link: the one that it has for this key of its parent, else a fresh one.
 * "" where the link is not encrypted.
 */
export function leafTunnelKey(
  before: ParentCredentials,
  { Link, PeerKey }: Pick<ParentCredentials, "Link" | "PeerKey">,
  fresh: string,
): string {
  if (Link?.Kind !== "wireguard" || PeerKey === "") return "";
  return before.PeerKey === PeerKey && before.TunnelKey !== "" ? before.TunnelKey : fresh;
}

/** Removes a leaf router. Throws Problem 404. */
export function removeLeaf(config: Config, address: string): [Config, void] {
  const stored = leafOf(config.mesh, address);
  if (stored === null) {
    throw notFound(sentence("No leaf router has the address {address}", { address }));
  }
  const LeafRouters = config.mesh.LeafRouters.filter((one) => one !== stored);
  return [{ ...config, mesh: { ...config.mesh, LeafRouters } }, undefined];
}

/** Turns leaf mode on or off. Throws Problem 409 where the router is a parent. */
export function setLeafMode(config: Config, on: boolean): [Config, void] {
  const { mesh } = config;
  if (mesh.LeafMode === on) return [config, undefined];
  if (on && mesh.LeafRouters.length > 0) {
    throw conflict("This router is a parent; remove its leaf routers before it becomes a leaf");
  }
  return [{ ...config, mesh: { ...mesh, LeafMode: on } }, undefined];
}

/** Sets how this leaf reaches its parent. Throws Problem 409 where the router is a parent. */
export function setParent(config: Config, parent: ParentCredentials): [Config, void] {
  const { mesh } = config;
  if (mesh.LeafRouters.length > 0) {
    throw conflict("This router is a parent; remove its leaf routers before it gets a parent");
  }
  const before = mesh.ParentCredentials;
  const same = before.ParentIP === parent.ParentIP && before.ParentCA === parent.ParentCA &&
    before.ParentAPIToken === parent.ParentAPIToken && before.LeafIP === parent.LeafIP &&
    sameLink(before.Link, parent.Link) && sameKeys(before, parent);
  return [same ? config : { ...config, mesh: { ...mesh, ParentCredentials: parent } }, undefined];
}

function canonicalAddress(text: string): string {
  const parsed = parseAddress(text);
  return parsed === null ? text : formatAddress(parsed);
}

/** Gives a leaf router another token. Throws Problem 404. */
export function setLeafToken(config: Config, address: string, APIToken: string): [Config, void] {
  const stored = leafOf(config.mesh, address);
  if (stored === null) {
    throw notFound(sentence("No leaf router has the address {address}", { address }));
  }
  return putLeaf(config, { ...stored, APIToken });
}

/** Gives every radio of a leaf this network name. A router that is no leaf stays as it is. */
export function setLeafSsid(config: Config, ssid: string): [Config, void] {
  if (!config.mesh.LeafMode) return [config, undefined];
  const radios = Object.fromEntries(
    Object.entries(config.radios).map(([name, settings]) => [
      name,
      settings.ssid === ssid && settings.ssid_hex === ""
        ? settings
        : { ...settings, ssid, ssid_hex: "" },
    ]),
  );
  const same = Object.entries(radios).every(([name, settings]) => config.radios[name] === settings);
  return [same ? config : { ...config, radios }, undefined];
}
