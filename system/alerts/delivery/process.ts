import { join } from "node:path";
import {
  mayApply,
  type ProcessDescriptor,
  QUIET_HEAP,
  socketPermissions,
} from "../../core/process/descriptor.ts";

const SOCKET = "notify/socket";

/** notifyd: sends alerts to the channels of people. */
export const notifyd = {
  name: "notifyd",
  purpose: "delivery of alerts",
  optional: true,
  runs: "always",
  // On a model of the kernel the api names no message to send.
  autostart: (settings) => mayApply(settings) && settings.services.includes("notifyd"),
  engineFlags: QUIET_HEAP,
  permissions: ({ home }) => ({
    ...socketPermissions(join(home, "state", SOCKET)),
    // Receivers are wherever people have them.
    net: true,
    // What encrypts for browsers reads it when it is loaded.
    env: ["ECE_KEYLOG"],
  }),
  folders: [{ path: "notify", owner: { user: "sluice", group: "sluice-notify" } }],
  sockets: {
    notify: {
      path: SOCKET,
      http: { by: "api", title: "Deliveries", description: "What notifyd asks of the api." },
    },
  },
  packages: [],
  unit: {
    account: { user: "sluice-notifyd", group: "sluice-notify", number: 9 },
    after: ["sluice-api.service"],
    restart: "on-failure",
    capabilities: [],
    // The C library orders the addresses of a name by those of this machine (netlink).
    addressFamilies: ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"],
    writable: ["state/notify"],
  },
} as const satisfies ProcessDescriptor;
