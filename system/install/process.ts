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
} as const satisfies ProcessDescriptor;
