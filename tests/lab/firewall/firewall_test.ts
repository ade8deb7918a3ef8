import assert from "node:assert/strict";
import { buildLab, INTERNET, type Lab, type LabClient, UPLINK } from "../../kit/lab/lab.ts";
import { must } from "../../kit/lab/command.ts";
import { patience } from "../../kit/pace.ts";
import { type LabRouter, type Lease, startRouter } from "../../kit/lab/router.ts";
import { orderedListing } from "../../kit/builders/ordered_listing.ts";

/** Private network behind the uplink, and a container with its network behind the router. */
const ELSEWHERE = "10.99.0.1";
const CONTAINER = "172.30.0.2";
const BRIDGE = "kbr0";

interface Bed {
  readonly lab: Lab;
  readonly router: LabRouter;
  readonly a: LabClient & Lease;
  readonly b: LabClient & Lease;
  readonly c: LabClient & Lease;
}

async function withBed(run: (bed: Bed) => Promise<void>): Promise<void> {
  const lab = await buildLab({ name: "firewall" });
  try {
    await surroundings(lab);
    const router = await startRouter(lab);
    try {
      const clients: (LabClient & Lease)[] = [];
      for (const client of lab.clients) clients.push({ ...client, ...await router.lease(client) });
      const [a, b, c] = clients as [LabClient & Lease, LabClient & Lease, LabClient & Lease];
      await run({ lab, router, a, b, c });
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
}

/** A private address behind the uplink, a container, and machines that say who called them. */
async function surroundings(lab: Lab): Promise<void> {
  const box = lab.space("box"), router = lab.space("router");
  const ip = (...args: readonly string[]): Promise<string> => must("ip", args);
  await ip("-n", lab.space("wan"), "address", "add", `${ELSEWHERE}/32`, "dev", "lo");
  await ip("netns", "add", box);
  await ip("-n", box, "link", "set", "lo", "up");
  const ends = ["link", "add", BRIDGE, "type", "veth", "peer", "eth0", "netns", box];
  await ip("-n", router, ...ends);
  await ip("-n", router, "address", "add", "172.30.0.1/24", "dev", BRIDGE);
  await ip("-n", router, "link", "set", BRIDGE, "up");
  await ip("-n", box, "address", "add", `${CONTAINER}/24`, "dev", "eth0");
  await ip("-n", box, "link", "set", "eth0", "up");
  await ip("-n", box, "route", "add", "default", "via", "172.30.0.1");
  for (
    const [part, ports] of [["b", ["443", "444", "7"]], ["c", ["22", "443"]], ["box", [
      "80",
    ]]] as const
  ) {
    await lab.deno(part, "greeter.ts", [part, ...ports]).line(/^ready$/);
  }
}

async function rule(
  router: LabRouter,
  method: "PUT" | "DELETE",
  path: string,
  body: Record<string, unknown>,
): Promise<void> {
  const answer = await router.api(method, `/firewall/${path}`, { body });
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
}

async function give(
  router: LabRouter,
  client: LabClient,
  body: Record<string, unknown>,
): Promise<void> {
  const answer = await router.api("PUT", `/device?identity=${client.mac}`, { body });
  assert.equal(answer.status, 200, answer.text);
}

/** What a machine says of who called it; "" when nothing answers. */
async function greeting(
  lab: Lab,
  part: string,
  address: string,
  port: number,
  bind = "",
): Promise<string> {
  const from = bind === "" ? "" : `,bind=${bind}`;
  const target = `TCP4:${address}:${port},connect-timeout=${patience(0.7)}${from}`;
  // The greeter ends the connection, so that only one that says nothing is waited for.
  return (await lab.exec(part, "socat", ["-T", "20", "-,ignoreeof", target])).stdout.trim();
}

Deno.test("firewall rules with real packets, from the API to the client", async (t) => {
  await withBed(async ({ lab, router, a, b, c }) => {
    const reaches = async (part: string, address: string, port: number): Promise<boolean> => {
      const answer = await lab.tcp(part, address, port);
      return answer === "open" || answer === "refused";
    };
    const put = (path: string, body: Record<string, unknown>): Promise<void> =>
      rule(router, "PUT", path, body);
    const remove = (path: string, body: Record<string, unknown>): Promise<void> =>
      rule(router, "DELETE", path, body);
    const clean = await lab.must("router", "nft", ["-s", "list", "ruleset"]);
    const web = { Protocol: "tcp", SrcPort: "8080", DstIP: b.IP, DstPort: "443" };

    await t.step("a forward leads the Internet home, which sees who calls", async () => {
      assert.equal(await greeting(lab, "wan", UPLINK, 8080), "");
      await put("forward", web);
      assert.equal(await greeting(lab, "wan", UPLINK, 8080), "b 443 from 203.0.113.1");
    });

    await t.step(
      "from home the WAN address leads to the server, for who may reach it",
      async () => {
        const before = (await router.api("GET", "/devices")).json[a.mac].Policies;
        await give(router, a, { Policies: ["wan", "dns"] });
        assert.equal(await greeting(lab, "a", UPLINK, 8080), "");
        await give(router, a, { Policies: ["wan", "dns", "lan"] });
        assert.equal(await greeting(lab, "a", UPLINK, 8080), `b 443 from ${a.IP}`);
        assert.equal(await reaches("a", UPLINK, 8081), false);
        await give(router, a, { Policies: before });
      },
    );

    await t.step(
      "what met a rule is counted at it, and is no difference to what was applied",
      async () => {
        const { status, text } = await router.api("GET", "/firewall/counters");
        assert.equal(status, 200, text);
        const counters = JSON.parse(text) as { kind: string; packets: number | null }[];
        const [forward] = counters.filter(({ kind }) => kind === "forward");
        assert.ok((forward?.packets ?? 0) >= 1, text);
        const network = JSON.parse((await router.api("GET", "/network")).text);
        assert.deepEqual(network.drift, []);
      },
    );

    await t.step("a forward that goes takes its running connections along", async () => {
      const echo = { ...web, SrcPort: "7", DstPort: "7" };
      await put("forward", echo);
      const held = await lab.hold("wan", UPLINK);
      await remove("forward", { ...web, SrcPort: "9", DstPort: "9" }).catch(() => {});
      assert.ok(held.alive, "another's deletion cuts nothing");
      await remove("forward", echo);
      assert.equal(await held.breaks(), true);
      await held.close();
    });

    await t.step("ranges lead one to one, and From limits who may", async () => {
      await put("forward", { ...web, SrcPort: "9000-9001", DstPort: "443-444" });
      assert.equal(await greeting(lab, "wan", UPLINK, 9001), "b 444 from 203.0.113.1");
      await remove("forward", { ...web, SrcPort: "9000-9001", DstPort: "443-444" });
      const limited = { ...web, SrcPort: "443-444", DstPort: "any", From: ["198.51.100.0/24"] };
      await put("forward", limited);
      assert.equal(await greeting(lab, "wan", UPLINK, 443), "");
      assert.equal(await greeting(lab, "wan", UPLINK, 444, INTERNET), `b 444 from ${INTERNET}`);
      await remove("forward", limited);
    });

    await t.step("a forward of every port leaves the router its open ports", async () => {
      const every = { Protocol: "tcp", SrcIP: UPLINK, SrcPort: "any", DstIP: c.IP, DstPort: "any" };
      await put("forward", every);
      assert.equal(await greeting(lab, "wan", UPLINK, 443), "c 443 from 203.0.113.1");
      assert.equal(await greeting(lab, "wan", UPLINK, 22), "c 22 from 203.0.113.1");
      assert.equal(await greeting(lab, "wan", UPLINK, 8080), "b 443 from 203.0.113.1", "special");
      await put("service_port", { Protocol: "tcp", Port: "80", UpstreamEnabled: true });
      assert.match(
        await lab.get("wan", `http://${UPLINK}/`) ?? "",
        /html/i,
        "the router's own page",
      );
      await put("service_port", { Protocol: "tcp", Port: "80", UpstreamEnabled: false });
      await remove("forward", every);
      assert.equal(await reaches("wan", UPLINK, 80), false);
      await remove("forward", web);
    });

    await t.step("a service port opens to an uplink only on request", async () => {
      const port = { Protocol: "tcp", Port: "22" };
      assert.equal(await reaches("wan", UPLINK, 22), false);
      await put("service_port", { ...port, UpstreamEnabled: true });
      assert.equal(await reaches("wan", UPLINK, 22), true);
      await put("service_port", { ...port, UpstreamEnabled: false });
      assert.equal(await reaches("wan", UPLINK, 22), false);
    });

    await t.step("an endpoint opens its port to devices with its tag, without wan", async () => {
      await give(router, b, { DeviceTags: ["office"] });
      const endpoint = {
        RuleName: "o",
        Protocol: "tcp",
        IP: ELSEWHERE,
        Port: "7",
        Tags: ["Office"],
      };
      assert.equal(await reaches("b", ELSEWHERE, 7), false);
      await put("endpoint", endpoint);
      assert.equal(await reaches("b", ELSEWHERE, 7), true);
      assert.equal(await reaches("b", ELSEWHERE, 80), false);
      assert.equal(await reaches("c", ELSEWHERE, 7), false, "no tag");
      const held = await lab.hold("b", ELSEWHERE);
      await put("endpoint", { ...endpoint, Disabled: true });
      assert.equal(await held.breaks(), true, "disabling cuts");
      await held.close();
      await remove("endpoint", { RuleName: "o" });
      await give(router, b, { DeviceTags: [] });
    });

    await t.step("blocks stop their port or pair, and cut what runs", async () => {
      await give(router, a, { Policies: ["wan"] });
      const rule = { Protocol: "tcp", SrcIP: a.IP, DstIP: INTERNET, DstPort: "7" };
      const held = await lab.hold("a", INTERNET);
      await put("block_forward", rule);
      assert.equal(await held.breaks(), true);
      await held.close();
      assert.equal(await reaches("a", INTERNET, 7), false);
      assert.equal(await reaches("a", INTERNET, 80), true);
      await remove("block_forward", rule);
      const pair = { Protocol: "tcp", SrcIP: `${a.IP}/32`, DstIP: "198.51.100.0/24" };
      await put("block", pair);
      assert.equal(await reaches("a", INTERNET, 80), false);
      assert.equal(await lab.ping("a", INTERNET), true, "tcp alone");
      await remove("block", { ...pair, SrcIP: a.IP });
      assert.equal(await reaches("a", INTERNET, 80), true);
    });

    await t.step("an output block stops the router alone", async () => {
      const output = { Protocol: "tcp", SrcIP: "0.0.0.0/0", DstIP: INTERNET, DstPort: "80" };
      assert.equal(await reaches("router", INTERNET, 80), true);
      await put("block_output", output);
      assert.equal(await reaches("router", INTERNET, 80), false);
      assert.equal(await reaches("router", INTERNET, 7), true);
      assert.equal(await reaches("a", INTERNET, 80), true);
      await remove("block_output", output);
    });

    await t.step("pings are answered where that is chosen", async () => {
      assert.equal(await lab.ping("a", a.RouterIP), true);
      assert.equal(await lab.ping("wan", UPLINK), false);
      await put("icmp", { PingLan: false, PingWan: true });
      assert.equal(await lab.ping("a", a.RouterIP), false);
      assert.equal(await lab.ping("wan", UPLINK), true);
      await put("icmp", { PingLan: true, PingWan: false });
    });

    await t.step(
      "a container reaches what its rule says, and devices do not reach it",
      async () => {
        const container = { Interface: BRIDGE, SrcIP: CONTAINER };
        assert.equal(await reaches("box", INTERNET, 80), false);
        await put("custom_interface", { ...container, Policies: ["wan"] });
        assert.equal(await reaches("box", INTERNET, 80), true);
        assert.equal(await reaches("box", ELSEWHERE, 80), false, "private behind the uplink");
        assert.equal(await reaches("box", b.IP, 443), false);
        await remove("custom_interface", container);
        await put("custom_interface", { ...container, Policies: ["lan", "api"] });
        assert.equal(await greeting(lab, "box", b.IP, 443), `b 443 from ${CONTAINER}`);
        assert.equal(await reaches("box", INTERNET, 80), false);
        assert.equal(await reaches("box", "172.30.0.1", 80), true, "the router's page");
        assert.equal(await reaches("box", "172.30.0.1", 22), false);
        assert.equal(await reaches("b", CONTAINER, 80), false, "not the other way");
        await remove("custom_interface", container);
      },
    );

    await t.step("a container in a group and its devices reach each other", async () => {
      const net = { Interface: BRIDGE, SrcIP: "172.30.0.0/24" };
      await put("custom_interface", { ...net, Groups: ["box"] });
      await give(router, b, { Groups: ["box"] });
      assert.equal(await greeting(lab, "b", CONTAINER, 80), `box 80 from ${b.IP}`);
      assert.equal(await greeting(lab, "box", b.IP, 443), `b 443 from ${CONTAINER}`);
      assert.equal(await reaches("a", CONTAINER, 80), false);
      await remove("custom_interface", net);
      assert.equal(await reaches("b", CONTAINER, 80), false);
    });

    await t.step("a container's route comes and goes with its rule", async () => {
      const behind = { Interface: BRIDGE, SrcIP: "172.31.9.0/24", RouteDst: CONTAINER };
      await put("custom_interface", { ...behind, Policies: ["wan"] });
      const routes = (): Promise<string> => lab.must("router", "ip", ["route"]);
      assert.match(await routes(), /172\.31\.9\.0\/24 via 172\.30\.0\.2/);
      await remove("custom_interface", behind);
      assert.doesNotMatch(await routes(), /172\.31\.9/);
    });

    await t.step("all rules gone, nothing of them is left in the kernel", async () => {
      await give(router, a, { Policies: ["noapi"] });
      await give(router, b, { Groups: [] });
      const gone = await router.api("DELETE", "/groups", { body: { Name: "box" } });
      assert.equal(gone.status, 200, gone.text);
      const now = await lab.must("router", "nft", ["-s", "list", "ruleset"]);
      assert.deepEqual(orderedListing(now), orderedListing(clean));
    });
  });
});
