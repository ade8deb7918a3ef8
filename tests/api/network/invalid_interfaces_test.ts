import assert from "node:assert/strict";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { testRouter } from "../../kit/router.ts";

const ACCOUNT = { Iface: "eth7", Enabled: true, Username: "me@isp", Secret: "hunter22" };
const FIXED = { Name: "wan0", DisableDHCP: true, IP: "203.0.113.2/24", Router: "203.0.113.1" };

/** Names of links that a tool could take for an option, a path or a command. */
const NAMES = [
  "-x",
  "--help",
  "a;reboot",
  "$(id)",
  "../../etc",
  "a/b",
  "a b",
  "a\nb",
  "sixteen-bytes-xx",
  // What every link's settings go by.
  "all",
  "default",
];

type Bad = readonly [path: string, body: unknown, status: number, pointer: string];

function bodies(): readonly Bad[] {
  const account = (change: Readonly<Record<string, unknown>>, pointer: string): Bad => [
    ...["/uplink/ppp", { ...ACCOUNT, ...change }, 400, pointer] as const,
  ];
  const fixed = (change: Readonly<Record<string, unknown>>, pointer: string): Bad => [
    ...["/uplink/ip", { ...FIXED, ...change }, 400, pointer] as const,
  ];
  const link = (change: Readonly<Record<string, unknown>>, pointer: string): Bad => [
    ...["/link/config", { Name: "lan1", ...change }, 400, pointer] as const,
  ];
  return [
    ...NAMES.flatMap((name): readonly Bad[] => [
      link({ Name: name, Type: "Other" }, "/Name"),
      fixed({ Name: name }, "/Name"),
      ["/link/ip", { Name: name, IP: "10.9.0.1/24" }, 400, "/Name"],
      account({ Iface: name }, "/Iface"),
    ]),
    link({ Name: "lo" }, "/Name"),
    link({ Name: "sluice0" }, "/Name"),
    link({ Name: 7 }, "/Name"),
    link({ Type: "WAN" }, "/Type"),
    ["/link/config", { Name: "eth5" }, 400, "/Type"],
    link({ Enabled: "yes" }, "/Enabled"),
    link({ Subtype: "pppup" }, "/Subtype"),
    ...["01:00:5e:00:00:01", "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00", "x", "02:00:00:00:00"].map(
      (MACOverride) => link({ MACOverride }, "/MACOverride"),
    ),
    fixed({ IP: "" }, "/IP"),
    ...["0.0.0.0", "127.0.0.2", "224.0.0.2", "203.0.113", "203.0.113.256"].map((IP) =>
      fixed({ IP }, "/IP")
    ),
    fixed({ IP: "192.168.2.9" }, "/IP"),
    fixed({ IP: "203.0.113.2/33" }, "/IP"),
    fixed({ IP: "203.0.113.0/24" }, "/IP"),
    fixed({ IP: "203.0.113.255/24" }, "/IP"),
    fixed({ IP: "127.0.0.2/8", Router: "127.0.0.1" }, "/IP"),
    fixed({ IP: "224.0.0.2/24", Router: "224.0.0.1" }, "/IP"),
    fixed({ IP: "router.example/24" }, "/IP"),
    fixed({ IP: "2001:db8::2/64" }, "/IP"),
    fixed({ IP: "192.168.2.9/24", Router: "192.168.2.8" }, "/IP"),
    fixed({ Router: "" }, "/Router"),
    fixed({ Router: "198.51.100.1" }, "/Router"),
    fixed({ Router: "203.0.113.2" }, "/Router"),
    fixed({ Router: "203.0.113.0" }, "/Router"),
    fixed({ Router: "203.0.113.255" }, "/Router"),
    fixed({ Router: "gateway.example" }, "/Router"),
    fixed({ IP: "203.0.113.2/32", Router: "203.0.113.2" }, "/Router"),
    fixed({ IP: "203.0.113.2/32", Router: "192.168.2.1" }, "/Router"),
    fixed({ IP: "203.0.113.2/32", Router: "224.0.0.1" }, "/Router"),
    fixed({ IP: "203.0.113.2/31", Router: "203.0.113.4" }, "/Router"),
    fixed({ Router: "fe80::1" }, "/Router"),
    ...["0", "7", "4095", "x"].map((VLAN) => fixed({ VLAN }, "/VLAN")),
    fixed({ AdditionalIPs: [{ IP: "x" }] }, "/AdditionalIPs/0/IP"),
    fixed({ AdditionalIPs: [{ IP: "192.168.2.9/24" }] }, "/AdditionalIPs/0/IP"),
    fixed({ AdditionalIPs: [{ IP: "203.0.113.2/24" }] }, "/AdditionalIPs/0/IP"),
    fixed(
      { AdditionalIPs: [{ IP: "198.51.100.9/24", Router: "10.0.0.1" }] },
      "/AdditionalIPs/0/Router",
    ),
    ...["198.51.100.0", "198.51.100.255", "198.51.100.9"].map((Router) =>
      fixed({ AdditionalIPs: [{ IP: "198.51.100.9/24", Router }] }, "/AdditionalIPs/0/Router")
    ),
    fixed(
      { AdditionalIPs: [{ IP: "198.51.100.9", Router: "198.51.100.1" }] },
      "/AdditionalIPs/0/Router",
    ),
    fixed({ AdditionalIPs: Array.from({ length: 65 }, () => ({})) }, "/AdditionalIPs"),
    ["/uplink/ip", { Name: "lan0", IP: "198.51.100.9/24" }, 400, "/Name"],
    ["/link/ip", { Name: "lan1", Router: "10.9.0.1" }, 400, "/Router"],
    ["/link/ip", { Name: "lan1", IP: "192.168.2.9/24" }, 400, "/IP"],
    ...["0", 0, 4095, "4095", "-1", "x", "7.5", "0x7", "1e3", true, [7]].map((VLAN) =>
      account({ VLAN }, "/VLAN")
    ),
    ...[0, "0", 1, 127, 1493, 1e9, "1000000000", -1, "x", 1e300].map((MTU) =>
      account({ MTU }, "/MTU")
    ),
    ...["a\nplugin x", "a\r\nb", "a\rb", "a\0b", "x".repeat(256), 7].flatMap((text) => [
      account({ Username: text }, "/Username"),
      account({ Secret: text }, "/Secret"),
    ]),
    account({ Username: "" }, "/Username"),
    account({ Iface: "lan1" }, "/Iface"),
    account({ Iface: "lo" }, "/Iface"),
    ["/uplink/ppp", { Iface: "eth7", Enabled: true, Username: "me" }, 400, "/Secret"],
    ["/uplink/ppp", { Username: "me" }, 400, "/Iface"],
  ];
}

function paths(): readonly Bad[] {
  const names = NAMES.map(encodeURIComponent);
  return [
    ...names.flatMap((name): readonly Bad[] => [
      [`/link/vlan/${name}/enable`, undefined, 400, "/interface"],
      [`/ip/link/${name}/up`, undefined, 400, "/interface"],
      [`/ping/${name}/192.0.2.9`, undefined, 400, "/interface"],
      [`/ping/${name}/192.0.2.9:53/udp`, undefined, 400, "/interface"],
      [`/wan/speedtest/${name}`, undefined, 400, "/interface"],
    ]),
    ["/link/vlan/lan1/on", undefined, 400, "/state"],
    ["/link/vlan/wan0/enable", undefined, 400, "/interface"],
    ["/link/vlan/lo/enable", undefined, 400, "/interface"],
    ["/ip/link/lan1/sideways", undefined, 400, "/state"],
    ["/ip/link/lo/down", undefined, 400, "/interface"],
    ["/ip/link/sluice0/down", undefined, 400, "/interface"],
    ["/ping/nope/192.0.2.9", undefined, 400, "/interface"],
    ...["router.lan", "224.0.0.1", "255.255.255.255", "0.0.0.0", "192.0.2", "192.0.2.9%2F24", "::"]
      .map((address): Bad => [`/ping/lan0/${address}`, undefined, 400, "/address"]),
    ...[
      ...["192.0.2.9", "192.0.2.9:0", "192.0.2.9:65536", "192.0.2.9:-1", "192.0.2.9:x"],
      ...["router.lan:53", "192.0.2.9:1e3", "2001:db8::1:53", "[192.0.2.9]:53", "224.0.0.251:5353"],
    ].map((address): Bad => [`/ping/lan0/${address}/udp`, undefined, 400, "/address"]),
    ["/wan/speedtest/wan0", undefined, 400, "/SpeedTestURL"],
  ];
}

/** There is nothing of the name: no field can be at fault. */
const ABSENT: readonly (readonly [string, unknown])[] = [
  ["/link/vlan/eth9/disable", undefined],
  ["/link/ip", { Name: "eth9", IP: "10.9.0.1/24" }],
  ["/uplink/ip", { ...FIXED, Name: "eth9" }],
  ["/wan/speedtest/eth9", undefined],
];

Deno.test("bad input for links, uplinks and pings is refused at its place, and changes nothing", async (t) => {
  await using router = await testRouter();
  const state = async () =>
    JSON.stringify([
      router.engine.config,
      await router.host.facts(),
      await router.json("GET", "/changes"),
    ]);
  const before = await state();
  const wrong: string[] = [];
  for (const [path, body, wanted, pointer] of [...bodies(), ...paths()]) {
    const label = `${path} ${JSON.stringify(body) ?? ""}`.slice(0, 160);
    const answer = await router.ask("PUT", path, body === undefined ? {} : { body });
    const text = await answer.text();
    const problem = text === "" ? {} : JSON.parse(text);
    const error = problem.errors?.[0];
    const isExpected = answer.status === wanted && error?.pointer === pointer &&
      error.message.length > 8 && !text.includes("hunter22");
    if (!isExpected) wrong.push(`${label}: ${answer.status} ${text}`);
    // A preview says the same, and moves as little.
    if (path.startsWith("/ping") || path.startsWith("/wan")) continue;
    const preview = await router.ask("PUT", `${path}?dryRun=true`, { body: body ?? {} });
    await preview.body?.cancel();
    if (preview.status !== wanted) wrong.push(`preview of ${label}: ${preview.status}`);
  }
  assert.deepEqual(wrong, []);
  for (const [path, body] of ABSENT) {
    const answer = await router.ask("PUT", path, body === undefined ? {} : { body });
    await answer.body?.cancel();
    assert.equal(answer.status, 404, path);
  }
  assert.equal(await state(), before);
  await t.step("what is right is taken", async () => {
    for (
      const [path, body] of [
        ["/uplink/ip", FIXED],
        ["/uplink/ppp", { ...ACCOUNT, VLAN: "4094", MTU: "1492" }],
        ["/uplink/ppp", { ...ACCOUNT, VLAN: null, MTU: "" }],
        ["/link/config", { Name: "lan1", MACOverride: "02:00:00:00:0a:01" }],
      ] as const
    ) {
      const answer = await router.ask("PUT", path, { body });
      assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
    }
  });
});

Deno.test("what no kernel could do with VLANs is reported before what this one cannot", async () => {
  await using router = await testRouter({ host: memoryHost({ capabilities: { vlan: false } }) });
  for (
    const [path, status] of [
      ["/link/vlan/wan0/enable", 400],
      ["/link/vlan/lo/enable", 400],
      ["/link/vlan/lan1/enable", 503],
      ["/link/vlan/lan1/disable", 200],
    ] as const
  ) {
    const answer = await router.ask("PUT", path);
    await answer.body?.cancel();
    assert.equal(answer.status, status, path);
  }
});
