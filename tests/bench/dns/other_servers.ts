import type { Lab } from "../../kit/lab/lab.ts";
import type { LabProcess } from "../../kit/lab/command.ts";

/** The router's LAN address. */
export const LAN = "192.168.2.1";
/** The upstream resolver with TLS, and its certificate name. */
export const SECURE = "198.51.100.54", SECURE_NAME = "resolver.test";
/** Local names; each server has all of them. */
export const LOCAL_NAMES = 500;
/** Blocked names. */
export const BLOCKED = 1_000_000;

/** Address of a local name. */
export function localAddress(i: number): string {
  return `10.9.${i >> 8}.${i & 255}`;
}

/** A blocked name. */
export function blockedName(i: number): string {
  return `ads${i}.blocked${i % 997}.test`;
}

/**
 * Starts a server in the lab's router, with local names, blocked names and an upstream resolver; with
 * TLS instead of the resolver the file of the trusted CA.
 */
export type StartOther = (lab: Lab, folder: string, resolver: string) => Promise<LabProcess>;

/** dnsmasq with the same names. */
export const startMasq: StartOther = async (lab, folder, resolver) => {
  const hosts = list(LOCAL_NAMES, (i) => `${localAddress(i)} h${i}.lan\n`);
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
  const homes = list(LOCAL_NAMES, (i) => `  local-data: "h${i}.lan. A ${localAddress(i)}"\n`);
  const blocked = list(BLOCKED, (i) => `  local-zone: "${blockedName(i)}." always_nxdomain\n`);
  const file = `${folder}/unbound.conf`;
  await Deno.writeTextFile(file, unbound(homes + blocked, `forward-addr: ${resolver}`));
  return lab.spawn("router", "unbound", ["-d", "-c", file]);
};

/** unbound that asks over TLS, without any names of its own. */
export const startUnboundTls: StartOther = async (lab, folder, authority) => {
  const file = `${folder}/unbound-tls.conf`;
  const upstream = `forward-tls-upstream: yes\n  forward-addr: ${SECURE}@853#${SECURE_NAME}`;
  await Deno.writeTextFile(file, unbound(`  tls-cert-bundle: "${authority}"\n`, upstream));
  return lab.spawn("router", "unbound", ["-d", "-c", file]);
};

/** How unbound is run by the bench: in front, with one thread, and as it was started. */
export const UNBOUND = `  access-control: 0.0.0.0/0 allow
  do-daemonize: no
  num-threads: 1
  username: ""
  chroot: ""
  pidfile: ""
  use-syslog: no
`;

function unbound(more: string, upstream: string): string {
  return `server:
  interface: ${LAN}
${UNBOUND}  module-config: "iterator"
  local-zone: "test." nodefault
  local-zone: "lan." static
${more}forward-zone:
  name: "."
  ${upstream}
remote-control:
  control-enable: no
`;
}

function list(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join("");
}
