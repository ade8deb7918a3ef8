import { join } from "node:path";
import {
  NO_PERMISSIONS,
  type ProcessDescriptor,
  QUIET_HEAP,
} from "../../core/process/descriptor.ts";
import { TOOL_FOLDERS } from "../../core/process/machine_paths.ts";
import { PLUGIND_SOCKET } from "./control.ts";
import { PLUGIND_FOLDER } from "./run_arguments.ts";

const TOOLS = ["setpriv", "git", "ln", "ps"] as const;
const DENO = "/usr/local/bin/deno";

function toolPathsOf(tool: string): readonly string[] {
  return TOOL_FOLDERS.map((folder) => join(folder, tool));
}

/**
 * plugind: runs the Deno plugins that an admin approved, each with the permissions of its manifest. It
 * has a user of its own, whose rights are the most that any plugin has.
 */
export const plugind = {
  name: "plugind",
  purpose: "approved Deno plugins",
  optional: true,
  runs: "onDemand",
  // The api has it started with the first plugin.
  autostart: () => false,
  engineFlags: QUIET_HEAP,
  permissions: ({ home }) => {
    const folder = join(home, "state", PLUGIND_FOLDER);
    return {
      ...NO_PERMISSIONS,
      read: [folder],
      write: [folder],
      net: [`unix:${join(home, "state", PLUGIND_SOCKET)}`],
      run: [Deno.execPath(), ...TOOLS],
      // The mode of its socket, which no list can name.
      sys: true,
    };
  },
  folders: [{ path: PLUGIND_FOLDER, owner: { user: "sluice", group: "sluice-plugins" } }],
  sockets: { plugind: { path: PLUGIND_SOCKET } },
  packages: [
    { name: "git", reason: "fetches plugins from repositories" },
    { name: "procps", reason: "measures the memory of plugins (ps)" },
  ],
  unit: {
    account: { user: "sluice-plugind", group: "sluice-plugins", number: 10 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: [],
    // A plugin may be granted the network.
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"],
    writable: [`state/${PLUGIND_FOLDER}`],
    // Deno lies there on an installed router.
    permissions: { run: [DENO, ...TOOLS.flatMap(toolPathsOf)] },
  },
} as const satisfies ProcessDescriptor;
