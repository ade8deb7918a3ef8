import type { Lab } from "../kit/lab.ts";
import type { LabProcess } from "../kit/lab_command.ts";

/** The router's address at home, and that of its client. */
export const LAN = "192.168.2.1";
const CLIENT = "192.168.2.2";
/** Names of home that are asked for; all lie in a file for each server. */
export const HOMES = 500;
/** Names that are blocked. */
export const BLOCKED = 1_000_000;

/** Address of a name of home. */
export function homeAddress(i: number): string {
  return `10.9.${i >> 8}.${i & 255}`;
}

/** A name that is blocked. */
export function blockedName(i: number): string {
  return `ads${i}.blocked${i % 997}.test`;
}

/** Starts a server in the lab's router, with names of home, what is blocked and a resolver outside. */
export type StartOther = (lab: Lab, folder: string, resolver: string) => Promise<LabProcess>;

/** dnsmasq with the same names. */
export const startMasq: StartOther = async (lab, folder, resolver) => {
  await prepare(lab);
  const hosts = list(HOMES, (i) => `${homeAddress(i)} h${i}.lan\n`);
  await Deno.writeTextFile(`${folder}/hosts`, hosts);
  const blocked = list(BLOCKED, (i) => `local=/${blockedName(i)}/\n`);
  await Deno.writeTextFile(`${folder}/masq.conf`, blocked);
  return lab.spawn("router", "dnsmasq", [
    ...["--no-daemon", `--conf-file=${folder}/masq.conf`, "--no-resolv", "--no-hosts"],
    ...[`--server=${resolver}`, `--addn-hosts=${folder}/hosts`, "--cache-size=10000"],
    "--user=root",
  ]);
};

/** unbound with the same names and one thread. */
export const startUnbound: StartOther = async (lab, folder, resolver) => {
  await prepare(lab);
  const homes = list(HOMES, (i) => `  local-data: "h${i}.lan. A ${homeAddress(i)}"\n`);
  const blocked = list(BLOCKED, (i) => `  local-zone: "${blockedName(i)}." always_nxdomain\n`);
  await Deno.writeTextFile(
    `${folder}/unbound.conf`,
    `server:
  interface: ${LAN}
  access-control: 0.0.0.0/0 allow
  do-daemonize: no
  num-threads: 1
  username: ""
  chroot: ""
  pidfile: ""
  use-syslog: no
  module-config: "iterator"
  local-zone: "test." nodefault
  local-zone: "lan." static
${homes}${blocked}forward-zone:
  name: "."
  forward-addr: ${resolver}
remote-control:
  control-enable: no
`,
  );
  return lab.spawn("router", "unbound", ["-d", "-c", `${folder}/unbound.conf`]);
};

async function prepare(lab: Lab): Promise<void> {
  const router = (...args: readonly string[]): Promise<string> => lab.must("router", "ip", args);
  await router("address", "add", `${LAN}/30`, "dev", "cl-a");
  await router("link", "set", "cl-a", "up");
  await router("address", "add", "203.0.113.2/24", "dev", "wan0");
  await router("link", "set", "wan0", "up");
  await router("route", "add", "default", "via", "203.0.113.1");
  await lab.setAddress("a", CLIENT, LAN);
}

function list(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join("");
}
