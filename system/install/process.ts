import { NO_PERMISSIONS, type ProcessDescriptor } from "../core/process/descriptor.ts";

/**
 * install: installs missing Debian packages as root where that is allowed, else says which, and ends.
 * The api has it started when the network is about to be applied, and not before.
 */
export const install = {
  name: "install",
  purpose: "installation of missing Debian packages",
  optional: false,
  runs: "once",
  // Otherwise nothing is installed on a machine whose network is left alone.
  autostart: ({ network }) => network === "on",
  permissions: () => ({
    ...NO_PERMISSIONS,
    run: ["/usr/bin/apt-get", "/usr/bin/dpkg-query"],
    sys: ["uid"],
  }),
  folders: [],
  sockets: {},
  packages: [],
  // The manual installs the packages; nothing does so behind an administrator's back.
  unit: null,
  // What dpkg unpacks, owns and configures, and apt's own user for downloads.
  capabilities: [
    ...["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_SETFCAP"],
    ...["CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_SYS_CHROOT", "CAP_MKNOD"],
  ],
} as const satisfies ProcessDescriptor;
