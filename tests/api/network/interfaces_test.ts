import assert from "node:assert/strict";
import type { AddressEntry } from "../../../system/core/kernel/inspection.ts";
import type { InterfaceEntry } from "../../../system/network/interfaces/update_schema.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

async function put(router: TestRouter, path: string, body: unknown): Promise<Response> {
  const answer = await router.ask("PUT", path, { body });
  await answer.clone().text();
  return answer;
}

async function status(router: TestRouter, path: string, body: unknown): Promise<number> {
  const answer = await put(router, path, body);
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("links: a new downlink is up at once, shown, previewed and undone", async () => {
  await using router = await testRouter();
  const link = { Name: "lan1", Type: "Other", Enabled: false };
  const preview = await router.json<{ system: string[] }>("PUT", "/link/config?dryRun=true", {
    body: link,
  });
  assert.ok(preview.system.some((line) => line.includes("lan1")), JSON.stringify(preview));
  const answer = await put(router, "/link/config", link);
  assert.equal(answer.status, 200);
  assert.equal(await answer.text(), "");
  const change = answer.headers.get("change-id");
  const shown = await router.json<InterfaceEntry[]>("GET", "/interfacesConfiguration");
  assert.deepEqual(shown.find(({ Name }) => Name === "lan1"), {
    Name: "lan1",
    Type: "Other",
    Subtype: "",
    Enabled: false,
  });
  assert.equal(await status(router, `/changes/${change}/undo`, undefined), 200);
  const again = await router.json<InterfaceEntry[]>("GET", "/interfacesConfiguration");
  assert.equal(again.find(({ Name }) => Name === "lan1")?.Type, "Downlink");
});

Deno.test("a fixed uplink address and its default route reach the kernel", async () => {
  await using router = await testRouter();
  const body = { name: "wan0", IP: "198.51.100.9/24", Router: "198.51.100.1", VLAN: null };
  assert.equal(await status(router, "/uplink/ip", body), 200);
  const facts = await router.host.facts();
  assert.ok(facts.addresses.some((one) => one.address === "198.51.100.9/24"));
  assert.ok(!facts.addresses.some((one) => one.address === "203.0.113.2/24"));
  assert.ok(
    facts.routes.some(({ destination, via }) =>
      destination === "default" && via === "198.51.100.1"
    ),
  );
});

Deno.test("hostile link names and addresses are 400 with their place, and nothing changes", async () => {
  await using router = await testRouter();
  const before = await router.json("GET", "/interfacesConfiguration");
  const bad: [string, unknown, string][] = [
    ["/link/config", { Name: "a;reboot", Type: "Other" }, "/Name"],
    ["/link/config", { Name: "$(id)", Type: "Other" }, "/Name"],
    ["/link/config", { Name: "-x", Type: "Other" }, "/Name"],
    ["/link/config", { Name: "sixteen-bytes-xx", Type: "Other" }, "/Name"],
    ["/link/config", { Name: "eth5", Type: "WAN" }, "/Type"],
    ["/link/config", { Name: "eth5" }, "/Type"],
    ["/uplink/ip", { Name: "wan0", IP: "192.168.2.9/24" }, "/Router"],
    ["/uplink/ip", { Name: "wan0", IP: "2001:db8::1/64" }, "/IP"],
    ["/uplink/ip", { Name: "lan0", IP: "198.51.100.9/24" }, "/Name"],
  ];
  for (const [path, body, pointer] of bad) {
    const answer = await put(router, path, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal((await answer.json()).errors[0]?.pointer, pointer, JSON.stringify(body));
  }
  assert.deepEqual(await router.json("GET", "/interfacesConfiguration"), before);
});

Deno.test("GET /ip/addr and /arp show the kernel in the tools' own form", async () => {
  await using router = await testRouter();
  const links = await router.json<AddressEntry[]>("GET", "/ip/addr");
  const wan = links.find(({ ifname }) => ifname === "wan0");
  assert.equal(wan?.addr_info[0]?.local, "203.0.113.2");
  assert.equal(wan?.addr_info[0]?.prefixlen, 24);
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: "02:00:00:00:00:0a",
    Iface: "lan0",
    Name: "a",
  });
  await lease.body?.cancel();
  const arp = await router.json<Record<string, string>[]>("GET", "/arp");
  assert.equal(arp.find(({ MAC }) => MAC === "02:00:00:00:00:0a")?.["Device"], "lan0");
});

Deno.test("GET /nfmap, /nftables and /nftable give nft's own JSON, and 404 for what is not there", async () => {
  await using router = await testRouter();
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", {
    MAC: "02:00:00:00:00:0a",
    Iface: "lan0",
    Name: "a",
  });
  const { IP } = await lease.json();
  interface Listing {
    nftables: Record<string, { type: string[]; elem: [{ concat: string[] }, unknown][] }>[];
  }
  const map = await router.json<Listing>("GET", "/nfmap/ethernet_filter");
  assert.deepEqual(Object.keys(map.nftables[0]!), ["metainfo"]);
  assert.deepEqual(map.nftables[1]!["map"]!.type, ["ipv4_addr", "ifname", "ether_addr"]);
  assert.deepEqual(map.nftables[1]!["map"]!.elem, [
    [{ concat: [IP, "lan0", "02:00:00:00:00:0a"] }, { return: null }],
  ]);
  const tables = await router.json<{ nftables: unknown[] }>("GET", "/nftables");
  assert.deepEqual(tables.nftables[0], { table: { family: "inet", name: "filter" } });
  const table = await router.json<Listing>("GET", "/nftable/inet/filter");
  assert.ok(table.nftables.some((entry) => entry["map"]?.elem?.length === 1));
  for (const path of ["/nfmap/nothing", "/nftable/inet/nothing", "/nftable/ip6/filter"]) {
    const answer = await router.ask("GET", path);
    await answer.body?.cancel();
    assert.equal(answer.status, 404, path);
  }
  for (const path of ["/nfmap/a%20b", "/nftable/inet/x%3By", "/nftable/any/filter"]) {
    const answer = await router.ask("GET", path);
    await answer.body?.cancel();
    assert.equal(answer.status, 400, path);
  }
});

Deno.test("an uplink with a single address is led on by a gateway outside of it", async () => {
  await using router = await testRouter();
  const body = { Name: "wan0", DisableDHCP: true, IP: "198.51.100.9/32", Router: "203.0.113.1" };
  assert.equal(await status(router, "/uplink/ip", body), 200);
  const { routes } = await router.host.facts();
  assert.deepEqual(
    routes.filter(({ protocol }) => protocol === "static")
      .map(({ destination, via, link }) => [destination, via, link]),
    [["203.0.113.1/32", null, "wan0"], ["default", "203.0.113.1", "wan0"]],
  );
  const back = { ...body, IP: "203.0.113.2/24" };
  assert.equal(await status(router, "/uplink/ip", back), 200);
  const after = await router.host.facts();
  assert.ok(!after.routes.some(({ destination }) => destination === "203.0.113.1/32"));
});

Deno.test("all settings of an interface are one change, whose secret no answer shows", async () => {
  await using router = await testRouter();
  const body = {
    Name: "wan0",
    Enabled: true,
    Addressing: "pppoe",
    PPPoE: { Username: "me@isp.example", Secret: "hunter22", VLAN: "7" },
    MACOverride: "02:00:00:00:0a:01",
  };
  const preview = await put(router, "/link/settings?dryRun=true", body);
  assert.doesNotMatch(await preview.text(), /hunter22/);
  const answer = await put(router, "/link/settings", body);
  assert.equal(answer.status, 200, await answer.text());
  const change = answer.headers.get("change-id");
  const { PPPs } = await router.json<{ PPPs: unknown[] }>("GET", "/uplink/ppp");
  assert.equal(PPPs.length, 1);
  assert.doesNotMatch(await (await router.ask("GET", "/changes")).text(), /hunter22/);
  assert.doesNotMatch(await (await router.ask("GET", `/changes/${change}`)).text(), /hunter22/);
  assert.equal(await status(router, `/changes/${change}/undo`, undefined), 200);
  assert.deepEqual(await router.json("GET", "/uplink/ppp"), { PPPs: [] });
  const links = await router.json<InterfaceEntry[]>("GET", "/interfacesConfiguration");
  assert.equal(links.find(({ Name }) => Name === "wan0")?.MACOverride, undefined);
});

Deno.test("settings of an interface are refused at their field, and nothing is kept of the others", async () => {
  await using router = await testRouter();
  const before = await router.json("GET", "/interfacesConfiguration");
  const bad: [unknown, string][] = [
    [{
      Name: "wan0",
      MACOverride: "02:00:00:00:0a:01",
      IP: "192.168.2.5/24",
      Router: "192.168.2.1",
    }, "/IP"],
    [{ Name: "wan0", Addressing: "pppoe", PPPoE: { Username: "a\nb" } }, "/PPPoE/Username"],
    [{ Name: "wan0", Addressing: "bridge" }, "/Addressing"],
    [{ Name: "lan0", Addressing: "dhcp" }, "/Addressing"],
    [{ Name: "wan0", Trunk: true }, "/Trunk"],
  ];
  for (const [body, at] of bad) {
    const answer = await router.ask("PUT", "/link/settings", { body });
    assert.equal(answer.status, 400);
    const { errors } = await answer.json();
    assert.equal(errors[0].pointer, at);
  }
  assert.deepEqual(await router.json("GET", "/interfacesConfiguration"), before);
});

Deno.test("a random MAC address is the one that previews showed, and another one next time", async () => {
  await using router = await testRouter();
  const MAC = /(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/;
  for (const path of ["/link/config", "/link/settings"]) {
    const body = { Name: "wan0", MACRandomize: true };
    const preview = async () => {
      const { system } = await router.json<{ system: string[] }>("PUT", `${path}?dryRun=true`, {
        body,
      });
      return MAC.exec(system.find((line) => MAC.test(line)) ?? "")?.[0];
    };
    const shown = await preview();
    assert.ok(shown);
    assert.equal(await preview(), shown);
    assert.equal(await status(router, path, body), 200);
    const links = await router.json<AddressEntry[]>("GET", "/ip/addr");
    assert.equal(links.find(({ ifname }) => ifname === "wan0")?.address, shown);
    assert.equal(await status(router, path, { ...body, MACRandomize: false }), 200);
    assert.notEqual(await preview(), shown);
  }
});

Deno.test("settings of an interface are compared with both documents that they may change", async () => {
  await using router = await testRouter();
  const tagOf = async (path: string) => {
    const answer = await router.ask("GET", path);
    await answer.body?.cancel();
    return answer.headers.get("etag")!;
  };
  const set = async (match: string) => {
    const answer = await router.ask("PUT", "/link/settings?dryRun=true", {
      body: { Name: "wan0", Enabled: true },
      headers: { "if-match": match },
    });
    await answer.body?.cancel();
    return answer.status;
  };
  const [links, accounts] = [await tagOf("/interfacesConfiguration"), await tagOf("/uplink/ppp")];
  assert.equal(await set(links), 200);
  assert.equal(await set(accounts), 412);
  assert.equal(await set(`${links}, ${accounts}`), 200);
  assert.equal(await set(`${links}, "of-earlier-accounts"`), 412);
});

Deno.test("a token that undoes a change of PPPoE accounts covers every path that writes them", async () => {
  await using router = await testRouter();
  const account = { Iface: "wan0", Secret: "hunter22", Enabled: true };
  assert.equal(await status(router, "/uplink/ppp", { ...account, Username: "me" }), 200);
  const changed = await put(router, "/uplink/ppp", { ...account, Username: "you" });
  const undo = async (paths: readonly string[]) => {
    const { Token } = await router.access.tokens.create({
      Name: paths.join(),
      Expire: 0,
      ScopedPaths: ["/changes", ...paths],
    });
    return (await router.ask("PUT", `/changes/${changed.headers.get("change-id")}/undo`, {
      as: `Bearer ${Token}`,
    })).status;
  };
  assert.equal(await undo(["/uplink"]), 403);
  assert.equal(await undo(["/uplink", "/link"]), 200);
});
