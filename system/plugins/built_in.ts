/** A plugin of existing routers that is a part of Sluice here. */
export interface BuiltIn {
  readonly Name: string;
  readonly URI: string;
  /** Where existing routers have its socket, below `/state`. */
  readonly UnixPath: string;
}

/**
 * What existing routers list as plugins and Sluice does itself: their addresses, names and folders are
 * taken, and they are listed as clients expect them.
 */
export const BUILT_IN: readonly BuiltIn[] = [
  { Name: "dns-block-extension", URI: "dns/block", UnixPath: "/state/dns/dns_block_plugin" },
  { Name: "dns-log-extension", URI: "dns/log", UnixPath: "/state/dns/dns_log_plugin" },
  {
    Name: "plugin-lookup",
    URI: "lookup",
    UnixPath: "/state/plugins/plugin-lookup/lookup_plugin",
  },
  { Name: "wireguard", URI: "wireguard", UnixPath: "/state/plugins/wireguard/wireguard_plugin" },
  { Name: "dyndns", URI: "dyndns", UnixPath: "/state/plugins/dyndns/dyndns_plugin" },
  { Name: "db", URI: "db", UnixPath: "/state/plugins/db/socket" },
  { Name: "MESH", URI: "mesh", UnixPath: "/state/plugins/mesh/socket" },
];

/** Folders of `state/plugins/` that are ours, beside those named above. */
const OWN_FOLDERS: readonly string[] = ["superd", "lookup", "mesh"];

/** True for the name of a part of Sluice, in any case. */
export function isBuiltIn(name: string): boolean {
  return BUILT_IN.some(({ Name }) => Name.toLowerCase() === name.toLowerCase());
}

/** True for a folder below `state/plugins/` that no plugin may have, in any case. */
export function isOwnFolder(folder: string): boolean {
  const name = folder.toLowerCase();
  return OWN_FOLDERS.includes(name) ||
    BUILT_IN.some(({ Name, UnixPath }) =>
      Name.toLowerCase() === name || UnixPath.startsWith(`/state/plugins/${name}/`)
    );
}
