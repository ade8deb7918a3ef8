import { join } from "node:path";
import { NO_PERMISSIONS, type ProcessDescriptor } from "../core/process/descriptor.ts";

const FOLDER = "lookup";
const SOCKET = `${FOLDER}/lookup_plugin`;

/** The folder of the lookup service: its socket, and the tables that it compiled. */
export function lookupFolder(home: string): string {
  return join(home, "state", FOLDER);
}

/**
 * lookup: networks, countries and vendors of addresses. It has its own folder and no network, since it
 * reads files that were downloaded or uploaded.
 */
export const lookup = {
  name: "lookup",
  purpose: "networks, countries and vendors of addresses",
  optional: true,
  runs: "always",
  // It touches nothing of the machine, so that it runs in demo mode as well.
  autostart: (settings) => settings.services.includes("lookup"),
  // Old objects are few and large: tables outside of the heap.
  engineFlags: ["--max-semi-space-size=2"],
  permissions: ({ home }) => {
    const folder = lookupFolder(home);
    return {
      ...NO_PERMISSIONS,
      read: [folder],
      write: [folder],
      net: [`unix:${join(home, "state", SOCKET)}`],
      // The mode of its socket, which no list can name.
      sys: true,
    };
  },
  folders: [{ path: FOLDER, owner: { user: "sluice", group: "sluice-lookup" } }],
  sockets: {
    lookup: {
      path: SOCKET,
      http: {
        by: "lookup",
        title: "Lookups",
        description: "Networks, countries, vendors and types, as the lookup service knows them.",
      },
    },
  },
  packages: [],
  unit: {
    account: { user: "sluice-lookup", group: "sluice-lookup", number: 8 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: [],
    addressFamilies: ["AF_UNIX"],
    writable: [`state/${FOLDER}`],
  },
} as const satisfies ProcessDescriptor;
