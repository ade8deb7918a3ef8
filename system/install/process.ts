import { mayApply, NO_PERMISSIONS, type ProcessDescriptor } from "../core/process/descriptor.ts";

/** install: installs missing Debian packages as root, and ends. */
export const install = {
  name: "install",
  purpose: "installation of missing Debian packages",
  optional: false,
  runs: "once",
  // Without a network and services no package is needed.
  autostart: (settings) => mayApply(settings) || settings.services.length > 0,
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
