import { fileURLToPath } from "node:url";
import { buildLab, INTERNET } from "../kit/lab/lab.ts";
import { command } from "../kit/lab/command.ts";
import { LAB_PASSWORD, startRouter } from "../kit/lab/router.ts";
import { LAB_PACKAGES } from "../kit/run/layers.ts";
import { prepare } from "../kit/run/prepare.ts";

/**
 * `deno task lab [clients]`: a whole small network on this machine with Sluice as its router, until
 * Ctrl-C. Nothing outside its network namespaces is touched.
 */
const say = (text: string): unknown => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

if (Deno.uid() !== 0) {
  say("The lab makes network namespaces, which only root may. Run it as root.");
  Deno.exit(1);
}
const clients = Number(Deno.args[0] ?? 3);
if (!Number.isInteger(clients) || clients < 1 || clients > 20) {
  say("Write a number of clients between 1 and 20.");
  Deno.exit(1);
}
const lack = await prepare({ name: "the lab", needsRoot: true, packages: LAB_PACKAGES }, say);
if (lack !== null) {
  say(`The lab cannot be built: ${lack.why}`);
  Deno.exit(1);
}
say("Building the UI, if its sources changed");
const root = fileURLToPath(new URL("../..", import.meta.url));
const built = await command(Deno.execPath(), [
  "run",
  "-q",
  "-A",
  `${root}ui/build.ts`,
  "--if-changed",
]);
if (!built.ok) say(`The UI could not be built:\n${built.stderr}`);

const stopped = Promise.withResolvers<void>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => stopped.resolve());
}
say("Building the network; Sluice then starts in its router");
const lab = await buildLab({ clients, name: "sluice-lab" });
try {
  // The lab's Internet has one name server, which speaks no TLS.
  const provider = { IPAddress: INTERNET, TLSHost: "", DisableTls: true };
  const names = { UpstreamProviders: [provider], FamilyProviders: [provider] };
  const files = { "base/dns.json": names };
  const router = await startRouter(lab, { services: "dhcpd,dnsd", files });
  try {
    const { url } = router.openDoor();
    say(`\nThe lab stands. Its parts are network namespaces; look into one with
  ip netns exec ${lab.space("a")} ping 198.51.100.7\n`);
    for (const client of lab.clients) {
      const run = await lab.dhcp(client.name, ["-x", `hostname:client-${client.name}`]);
      const address = await lab.address(client.name) ?? `no address: ${run.stderr}`;
      say(`  ${lab.space(client.name)}  ${address}  ${client.mac} on ${client.link}`);
    }
    say(`  ${lab.space("wan")}  198.51.100.7, the Internet: web on 80, DNS on 53, echo on 7`);
    say(`\nAdmin UI: ${url}/   user admin, password ${LAB_PASSWORD}\nCtrl-C ends the lab.\n`);
    await stopped.promise;
  } finally {
    await router.close();
  }
} finally {
  await lab.close();
}
Deno.exit(0);
