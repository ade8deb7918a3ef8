import assert from "node:assert/strict";
import { netdMachine } from "../../../system/host/kernel/netd_machine.ts";
import { inLabWithNetd } from "../../kit/lab/netd.ts";

const TIME = /^\d+$/;
const CLIENT = "192.168.2.6";

Deno.test("netd pings from one interface, by ICMP and UDP, and lists the machine's sockets", () =>
  inLabWithNetd(async (lab, netd) => {
    const [client] = lab.clients;
    const machine = netdMachine(netd.socket);
    const link = client!.link;
    // The first call is answered once netd is ready.
    await netd.host.facts();

    const answers = await machine.ping({ link, address: CLIENT });
    assert.equal(answers.length, 4);
    for (const time of answers) assert.match(String(time), TIME);
    const counters = await lab.must(client!.name, "cat", ["/proc/net/snmp"]);
    const icmp = counters.split("\n").filter((line) => line.startsWith("Icmp:"));
    const column = icmp[0]!.split(" ").indexOf("InEchos");
    assert.equal(icmp[1]!.split(" ")[column], "4");

    const elsewhere = await machine.ping({ link: "wan0", address: CLIENT });
    assert.ok(elsewhere.every((time) => time === null), "the other link leads not there");
    const nobody = await machine.ping({ link, address: "192.168.2.9" }).catch(() => []);
    assert.ok(nobody.every((time) => time === null));
    await assert.rejects(machine.ping({ link: "nope0", address: CLIENT }), { status: 400 });

    const silent = await machine.ping({ link, address: CLIENT, port: 7 });
    assert.ok(silent.every((time) => time === null), "nobody listens on the port");
    const echo = lab.spawn(client!.name, "socat", ["UDP-LISTEN:7777", "PIPE"]);
    let times: readonly (number | null)[] = [];
    for (let attempt = 0; attempt < 5 && !times.some((time) => time !== null); attempt++) {
      times = await machine.ping({ link, address: CLIENT, port: 7777 });
    }
    assert.ok(times.some((time) => time !== null), "an echo on the port is received");
    await echo.stop();
    // The internet's servers of the lab are in another namespace: the router itself listens nowhere.
    for (const socket of await machine.sockets()) assert.notEqual(socket.local_port, "");
  }));
