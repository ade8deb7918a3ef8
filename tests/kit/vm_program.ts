import { join } from "node:path";
import { command, must } from "./lab_command.ts";

/** Where the manual has the program installed. */
export const INSTALLED = "/opt/sluice";
/** What an installation has of the project's folder. */
const PARTS = ["main.ts", "deno.json", "deno.lock", "routes", "system", "ui", "configs", "docs"];
const SERVICES = ["netd", "api", "dhcpd", "dnsd", "multicastd", "uplinkd"];
/** Seconds that the services are run for on this machine. */
const WARM = 6;

/** The program as it is installed in a virtual machine. */
export interface VmProgram {
  /** What lies at which path of the machine. */
  readonly binds: Readonly<Record<string, string>>;
  /** What Deno made of the program at its first start: for `DENO_DIR`, as the path of this machine. */
  readonly cache: string;
}

/**
 * Copies the program as it stands, so that nobody changes it under a machine that runs, and starts it
 * once at the path where it will lie: what Deno compiles then serves in the machine, which would take
 * minutes over it.
 */
export async function stageProgram(root: string, folder: string): Promise<VmProgram> {
  const program = join(folder, "program");
  const cache = join(folder, "cache");
  await Deno.mkdir(join(program, "node_modules"), { recursive: true });
  await Deno.mkdir(cache);
  await must("cp", ["-a", ...PARTS.map((part) => join(root, part)), program]);
  const binds = {
    [INSTALLED]: program,
    [`${INSTALLED}/node_modules`]: join(root, "node_modules"),
    "/usr/local/bin/deno": await Deno.realPath(Deno.execPath()),
  };
  await warm({ program, modules: join(root, "node_modules"), cache, folder });
  return { binds, cache };
}

async function warm(
  { program, modules, cache, folder }: {
    readonly program: string;
    readonly modules: string;
    readonly cache: string;
    readonly folder: string;
  },
): Promise<void> {
  const deno = await Deno.realPath(Deno.execPath());
  const flags = ["run", "-q", "-A", "--no-check", "--cached-only", "--node-modules-dir=manual"];
  const script = [
    "mount -t tmpfs tmpfs /opt",
    `mkdir ${INSTALLED}`,
    `mount --bind "$1" ${INSTALLED}`,
    `mount --bind "$2" ${INSTALLED}/node_modules`,
    "ip link set lo up",
    `cd ${INSTALLED}`,
    "shift 2",
    // Each has a home of its own, finds no api, and touches nothing: the network is a model.
    `for service in ${SERVICES.join(" ")}; do`,
    `SLUICE_HOME="$HOME/$service" timeout ${WARM} "$@" main.ts $service >/dev/null 2>&1 &`,
    "done",
    "wait",
  ];
  const homes = join(folder, "homes");
  for (const service of SERVICES) {
    for (const part of ["net", "dhcp", "dns/lists", "multicast", "uplink"]) {
      await Deno.mkdir(join(homes, service, "state", part), { recursive: true });
    }
  }
  const { ok, stderr } = await command("env", [
    "-i",
    `PATH=${Deno.env.get("PATH") ?? ""}`,
    `HOME=${homes}`,
    `DENO_DIR=${cache}`,
    "SLUICE_NETWORK=off",
    "SLUICE_HTTP=127.0.0.1:8080",
    "SLUICE_ADMIN_PASSWORD=warm",
    ...["unshare", "-mn", "sh", "-ec", script.join("\n"), "sh"],
    ...[program, modules, deno, ...flags],
  ]);
  if (!ok) throw new Error(`The program could not be started once: ${stderr}`);
}
