import { join } from "node:path";
import {
  mayApply,
  NO_PERMISSIONS,
  type ProcessDescriptor,
  QUIET_HEAP,
} from "../core/process/descriptor.ts";

const FOLDER = "mesh";
const SOCKET = `${FOLDER}/socket`;
const CONTROL = `${FOLDER}/control`;

/** mesh: keeps leaf routers in step with this router, or tells this router's parent of stations. */
export const mesh = {
  name: "mesh",
  purpose: "leaf routers",
  optional: true,
  runs: "always",
  // On a model of the kernel no other router is called.
  autostart: (settings) => mayApply(settings) && settings.services.includes("mesh"),
  engineFlags: QUIET_HEAP,
  permissions: ({ home }) => {
    const folder = join(home, "state", FOLDER);
    return {
      ...NO_PERMISSIONS,
      read: [folder],
      write: [folder],
      // Leaf routers and the parent are wherever people have them.
      net: true,
      // The mode of its socket, which no list can name.
      sys: true,
    };
  },
  folders: [{ path: FOLDER, owner: { user: "sluice", group: "sluice-mesh" } }],
  sockets: {
    mesh: {
      path: SOCKET,
      http: { by: "api", title: "Mesh", description: "What the process mesh asks of the api." },
    },
    meshControl: {
      path: CONTROL,
      http: {
        by: "mesh",
        title: "Mesh control",
        description: "Calls to leaf routers and to the parent, as the api requests them.",
      },
    },
  },
  packages: [],
  unit: {
    account: { user: "sluice-mesh", group: "sluice-mesh", number: 11 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: [],
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_INET6"],
    writable: [`state/${FOLDER}`],
  },
} as const satisfies ProcessDescriptor;
