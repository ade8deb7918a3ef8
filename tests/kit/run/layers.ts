import { VM_PACKAGES } from "../vm/vm.ts";

/** A layer of tests: a folder of `tests/`, and what the machine must have to run it. */
export interface Layer {
  readonly name: "unit" | "api" | "lab" | "wifi" | "ui";
  /** What is proven here, for the reader of the output. */
  readonly about: string;
  readonly needsRoot: boolean;
  /** Debian packages; brought when the run is root's. */
  readonly packages: readonly string[];
  /** True while the layer has no tests yet and is not counted. */
  readonly empty: boolean;
  /**
   * One browser serves all of its tests, and its files run beside each other; those on the kernel run
   * after them, one by one, since they measure how soon something happens.
   */
  readonly browser?: boolean;
  /** Pages are served from `ui/dist`. */
  readonly needsUi: boolean;
  /** Runs in a virtual machine on Debian's own kernel; left out where there can be none. */
  readonly machine?: {
    /** Files of other layers that ask for this kernel too. */
    readonly also: readonly string[];
    /** Kernel modules to load first, each with its parameters. */
    readonly modules: readonly (readonly string[])[];
    /** Seconds after which the machine is ended. */
    readonly seconds: number;
  };
  /** Files that need root and these packages too; where they cannot run, the others do. */
  readonly onKernel?: { readonly files: readonly string[]; readonly packages: readonly string[] };
}

/** What the namespaces of tests/kit/lab/lab.ts are made of and looked into with. */
const LAB_PACKAGES = [
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
  "openssl",
  "curl",
  "git",
  "tcpdump",
  "systemd",
  "systemd-timesyncd",
  "dbus",
  "wireguard-go",
  "wireguard-tools",
];

/** The layers in the order in which they run: quick and narrow first. */
export const LAYERS: readonly Layer[] = [
  {
    name: "unit",
    about: "pure functions and single parts",
    needsRoot: false,
    packages: [],
    empty: false,
    needsUi: false,
  },
  {
    name: "api",
    about: "the program through HTTP, on a model of the kernel",
    needsRoot: false,
    packages: [],
    empty: false,
    needsUi: true,
  },
  {
    name: "lab",
    about: "the program on a real kernel, in network namespaces of its own",
    needsRoot: true,
    packages: LAB_PACKAGES,
    empty: false,
    needsUi: true,
  },
  {
    name: "wifi",
    about: "the program on Debian's own kernel with simulated radios, in a virtual machine",
    needsRoot: true,
    packages: [...LAB_PACKAGES, ...VM_PACKAGES, "ppp", "pppoe", "iw"],
    empty: false,
    needsUi: false,
    machine: {
      also: ["tests/lab/network/vlan_test.ts"],
      modules: [["mac80211_hwsim", "radios=2"], ["pppoe"]],
      seconds: 1500,
    },
  },
  {
    name: "ui",
    about: "the pages, in a browser",
    needsRoot: false,
    packages: ["chromium"],
    browser: true,
    empty: false,
    needsUi: true,
    onKernel: {
      files: ["lab_test.ts", "access/guide_lab_test.ts", "network/moved_lab_test.ts"],
      packages: LAB_PACKAGES,
    },
  },
];
