import { VM_PACKAGES } from "../vm/vm.ts";

/** A layer of tests: a folder of `tests/`, and what the machine must have to run it. */
export interface Layer {
  readonly name: "unit" | "api" | "lab" | "wifi" | "ui";
  /** What is proven here, for the reader of the output. */
  readonly about: string;
  readonly needsRoot: boolean;
  /** Debian packages; brought when the run is root's. */
  readonly packages: readonly string[];
  /** Pages are served from `ui/dist`. */
  readonly needsUi: boolean;
  /** Cores that one process of its tests keeps busy. */
  readonly cores: number;
  /** About how long all of its tests take such processes together, where two cores are free. */
  readonly seconds: number;
  /**
   * How many processes its files share, for tests that leave nothing behind in them: few, since each
   * loads the program anew, but enough that none is left to run alone at the end. Null: each file has
   * a process of its own.
   */
  readonly shards: number | null;
  /** Files that take long for their size, which wait for other programs most of the time. */
  readonly slow?: readonly string[];
  /** Runs in a virtual machine on Debian's own kernel; left out where there can be none. */
  readonly machine?: {
    /** Files of other layers that ask for this kernel too. */
    readonly also: readonly string[];
    /** Kernel modules to load first, each with its parameters. */
    readonly modules: readonly (readonly string[])[];
    /** Seconds after which the machine is ended. */
    readonly seconds: number;
  };
  /**
   * Files that need root and these packages, too, and have a process each; where they cannot run, the
   * others do.
   */
  readonly onKernel?: { readonly files: readonly string[]; readonly packages: readonly string[] };
}

/** What the namespaces of tests/kit/lab/lab.ts are made of and looked into with. */
export const LAB_PACKAGES: readonly string[] = [
  "nftables",
  "libnftables1",
  "iproute2",
  "conntrack",
  "procps",
  "openssl",
  "iputils-ping",
  "socat",
  "busybox-static",
  "udhcpc",
  "isc-dhcp-client",
  "dnsmasq-base",
  "bind9-dnsutils",
  "knot-dnsutils",
  "ldnsutils",
  "curl",
  "git",
  "tcpdump",
  "systemd",
  "systemd-timesyncd",
  "dbus",
  "wireguard-go",
  "wireguard-tools",
  // Its program is covered by a fake, which takes the place of a file that is there.
  "ppp",
  "hostapd",
  "wpasupplicant",
];

/** The layers in the order of the closing lines: quick and narrow first. */
export const LAYERS: readonly Layer[] = [
  {
    name: "unit",
    about: "pure functions and single parts",
    needsRoot: false,
    packages: [],
    cores: 1,
    seconds: 120,
    shards: 2,
    needsUi: false,
  },
  {
    name: "api",
    about: "the program through HTTP, on a model of the kernel",
    needsRoot: false,
    packages: [],
    cores: 1,
    seconds: 390,
    shards: 3,
    needsUi: true,
  },
  {
    name: "lab",
    about: "the program on a real kernel, in network namespaces of its own",
    needsRoot: true,
    packages: LAB_PACKAGES,
    cores: 0.5,
    seconds: 1400,
    slow: [
      "uplink/failover_killed_test.ts",
      "http/half_open_test.ts",
      "dns/break_test.ts",
      "host/full_disk_test.ts",
      "network/drift_test.ts",
      "wireguard/two_routers_test.ts",
      "machine/systemd_test.ts",
      "firewall/ruleset_test.ts",
      "wireguard/peers_test.ts",
      "multicast/multicast_test.ts",
      "host/failure_test.ts",
      "host/examples_test.ts",
      "events/libsql_server_test.ts",
    ],
    shards: null,
    needsUi: true,
  },
  {
    name: "wifi",
    about: "the program on Debian's own kernel with simulated radios, in a virtual machine",
    needsRoot: true,
    packages: [
      ...LAB_PACKAGES,
      ...VM_PACKAGES,
      ...["pppoe", "iw", "wireless-regdb"],
    ],
    cores: 1,
    seconds: 500,
    shards: null,
    needsUi: false,
    machine: {
      also: ["tests/lab/wireguard/links_test.ts"],
      modules: [["mac80211_hwsim", "radios=6"], ["pppoe"], ["wireguard"]],
      seconds: 1800,
    },
  },
  {
    name: "ui",
    about: "the pages, in a browser",
    needsRoot: false,
    packages: ["chromium-headless-shell", "chromium"],
    cores: 1,
    seconds: 750,
    shards: 5,
    needsUi: true,
    onKernel: {
      files: ["lab_test.ts", "access/guide_lab_test.ts", "network/moved_lab_test.ts"],
      packages: LAB_PACKAGES,
    },
  },
];
