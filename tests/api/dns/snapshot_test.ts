import assert from "node:assert/strict";
import type { DnsSnapshot } from "../../../system/dns/config/snapshot_schema.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

/** A router whose model passes for a kernel. */
function applied(): Promise<TestRouter> {
  return testRouter({ host: Object.defineProperty(memoryHost(), "kind", { value: "linux" }) });
}

async function snapshot(router: TestRouter, known = ""): Promise<DnsSnapshot> {
  const answer = await router.inside("dns", "GET", `/snapshot?known=${known}`);
  assert.equal(answer.status, 200);
  return await answer.json();
}

Deno.test("the snapshot has listen addresses only once the network is applied", async () => {
  await using model = await testRouter();
  assert.equal((await snapshot(model)).listen, null);
});

Deno.test("the snapshot has devices, names and block rules, and a poll waits for the next one", async () => {
  await using router = await testRouter();
  const first = await snapshot(router);
  assert.deepEqual(first.clients, []);
  assert.ok(first.settings.UpstreamProviders.length > 0);
  const waiting = snapshot(router, first.tag);
  await router.json("PUT", `/device?identity=${mac(1)}`, {
    body: {
      Name: "Anna's TV",
      RecentIP: "192.168.2.6",
      Policies: ["dns", "dns:family"],
      DeviceTags: ["kids"],
      DNSCustom: "9.9.9.9",
    },
  });
  const next = await waiting;
  assert.deepEqual(next.clients, [{
    address: "192.168.2.6",
    identity: mac(1),
    name: "Anna's TV",
    tags: ["kids"],
    groups: [],
    policies: ["dns", "dns:family"],
    custom: "9.9.9.9",
  }]);
  assert.ok(
    next.names.some(({ name, address }) => name === "annas-tv.lan" && address === "192.168.2.6"),
  );
  assert.notEqual(next.tag, first.tag);

  const override = snapshot(router, next.tag);
  const put = await router.ask("PUT", "/dns/hostnames/nas", {
    body: { IPAddress: "192.168.2.50" },
  });
  assert.equal(put.status, 200);
  await put.body?.cancel();
  const named = await override;
  assert.ok(named.names.some(({ name }) => name === "nas.lan"));

  const off = snapshot(router, named.tag);
  await router.json("PUT", `/device?identity=${mac(1)}`, { body: { DeviceDisabled: true } });
  const last = await off;
  assert.deepEqual(last.clients, []);
  assert.ok(!last.names.some(({ name }) => name === "annas-tv.lan"));
});

Deno.test("a known snapshot is not sent again until its content changes", async () => {
  await using router = await testRouter();
  const { tag } = await snapshot(router);
  let responded = false;
  const waiting = snapshot(router, tag).then(() => responded = true);
  const multicast = await router.json<Record<string, unknown>>("GET", "/multicastSettings");
  await router.json("PUT", "/multicastSettings", { body: { ...multicast, Disabled: true } });
  assert.equal(responded, false);
  router.endStreams();
  await waiting;
});

Deno.test("while the network is applied the snapshot lists the router's LAN addresses to listen on", async () => {
  await using router = await applied();
  assert.equal(router.engine.network.state, "applied");
  const { listen, networks } = await snapshot(router);
  assert.deepEqual(listen, ["192.168.2.1"]);
  assert.deepEqual(networks, ["192.168.2.1/24"]);
});

Deno.test("GET /dns/status is 503 while the resolver does not run", async () => {
  await using router = await testRouter();
  for (const [method, path] of [["GET", "/dns/status"], ["PUT", "/dns/flush"]] as const) {
    const answer = await router.ask(method, path);
    assert.equal(answer.status, 503);
    assert.match((await answer.json()).detail, /does not run/);
  }
});

Deno.test("the CA certificates of upstream_ca.pem are in the snapshot", async () => {
  await using router = await testRouter();
  const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
  await Deno.mkdir(`${router.home}/configs/dns`, { recursive: true });
  await Deno.writeTextFile(`${router.home}/configs/dns/upstream_ca.pem`, `${pem}\n`);
  assert.deepEqual((await snapshot(router)).trusted, [pem]);
});

Deno.test("health issues open notices, which close when the issues are over", async () => {
  await using router = await testRouter();
  const reportIssues = async (...items: { subject: string; detail: string }[]) => {
    const answer = await router.inside("dns", "PUT", "/health/issues", { items });
    assert.equal(answer.status, 200, await answer.text());
  };
  const open = async () => {
    const { items } = await router.json<{ items: { kind: string; detail: string }[] }>(
      "GET",
      "/notices",
    );
    return items.filter(({ kind }) => kind === "dns-health").map(({ detail }) => detail).sort();
  };
  const port = {
    subject: "192.168.2.1",
    detail: "Port 53 of 192.168.2.1 is in use by another program",
  };
  const gone = { subject: "default", detail: "No upstream resolver responds" };
  await reportIssues(port, gone);
  assert.deepEqual(await open(), [port.detail, gone.detail].sort());
  await reportIssues(gone);
  assert.deepEqual(await open(), [gone.detail]);
  const again = await router.reopen();
  const { items } = await again.json<{ items: unknown[] }>("GET", "/notices");
  assert.equal(items.length, 1, "still open after a restart");
  await (await again.inside("dns", "PUT", "/health/issues", { items: [] })).body?.cancel();
  assert.deepEqual((await again.json<{ items: unknown[] }>("GET", "/notices")).items, []);
  await again.close();
});
