import assert from "node:assert/strict";
import { socketClient } from "../../../system/core/ipc/socket_client.ts";
import { sockets } from "../../../system/processes.ts";
import { eventually } from "../../kit/lab/bed.ts";
import { command, must } from "../../kit/lab/command.ts";
import { buildLab, INTERNET, type Lab, type LabClient } from "../../kit/lab/lab.ts";
import { labInterfaces, type LabRouter, startRouter } from "../../kit/lab/router.ts";
import { patience } from "../../kit/pace.ts";

/** Seconds from the association of a station to its first answer from the Internet. */
const PROMISED_S = 1;

/** The access point whose stations' interfaces are cables here. */
const POINT = { Name: "wlan0", Type: "AP", Enabled: true };

/** Puts a station's interface in place of a client's cable, as hostapd does when it associates. */
async function associate(lab: Lab, { name, mac }: LabClient, link: string): Promise<void> {
  await command("ip", ["-n", lab.space(name), "link", "delete", "eth0"]);
  const ends = ["link", "add", link, "type", "veth", "peer", "eth0"];
  await must("ip", ["-n", lab.space("router"), ...ends, "netns", lab.space(name)]);
  await lab.must(name, "ip", ["link", "set", "eth0", "address", mac, "up"]);
  await lab.must("router", "ip", ["link", "set", link, "up"]);
}

/** Reports a station as wifid does. */
async function report(router: LabRouter, MAC: string, Iface: string): Promise<void> {
  const api = socketClient({
    ...{ name: "The api", socket: sockets(router.home).wifi },
    ending: new AbortController().signal,
  });
  try {
    await api.call("/reportPSKAuthSuccess", { Iface, MAC, Event: "AP-STA-CONNECTED" });
  } finally {
    api.close();
  }
}

/** Milliseconds from the association of a station to its first answer from the Internet. */
async function join(
  lab: Lab,
  router: LabRouter,
  client: LabClient,
  link: string,
): Promise<number> {
  await associate(lab, client, link);
  const start = performance.now();
  const [, dhcp] = await Promise.all([
    report(router, client.mac, link),
    lab.dhcp(client.name),
  ]);
  assert.ok(dhcp.ok, router.process.output);
  await eventually(
    "it is online",
    async () => /internet/.test(await lab.get(client.name, `http://${INTERNET}/`) ?? ""),
  );
  return performance.now() - start;
}

Deno.test("a station has address, route and policy within a second of its association", async () => {
  const lab = await buildLab({ name: "associate", clients: 5 });
  try {
    const router = await startRouter(lab, {
      services: "dhcpd",
      files: { "base/interfaces.json": [...labInterfaces(lab), POINT] },
    });
    try {
      for (const { mac } of lab.clients) {
        const body = { Name: `s${mac.slice(-2)}`, MAC: mac, Policies: ["wan"] };
        const answer = await router.api("PUT", `/device?identity=${mac}`, { body });
        assert.equal(answer.status, 200, answer.text);
      }
      const times: number[] = [];
      for (const [at, client] of lab.clients.entries()) {
        times.push(await join(lab, router, client, `wlan0.${4096 + at}`));
      }
      // hostapd makes its interface anew when it comes back.
      for (const [at, client] of lab.clients.entries()) {
        times.push(await join(lab, router, client, `wlan0.${4096 + at}`));
      }
      // The first one meets programs that have only just started.
      const late = times.slice(1).filter((time) => time > patience(PROMISED_S) * 1000);
      assert.deepEqual(late, []);
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
});
