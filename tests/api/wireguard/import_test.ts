import assert from "node:assert/strict";
import { line } from "../../../system/core/net/grammar.ts";
import { formatIpv4, parseIpv4 } from "../../../system/core/net/net.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import { importServer } from "../../../system/wireguard/files/import_rules.ts";
import { clampedKey, privateKey, publicKeyOf } from "../../../system/wireguard/keys.ts";
import { configWith, KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const PATH = "/plugins/wireguard";

async function refused(router: TestRouter, body: unknown, path: string) {
  const answer = await router.ask("PUT", `${PATH}${path}`, { body });
  return { status: answer.status, text: await answer.text() };
}

const SERVER = `[Interface]
Address = 192.168.2.1/24
ListenPort = 51820
PrivateKey = aFqUtT4JzVSgVbSAvbnRLnbSUPLrDHk0SgLDFVFtAVk=

# Anna's phone
[Peer]
PublicKey = ${KEY}
AllowedIPs = 192.168.2.14/32
[Peer]
# Name = Laptop
PublicKey = ${OTHER_KEY}
PresharedKey = dwyS2MCC7Q0FuSVTbNQVXtfAQS4U8G1Bc5nLPhcIGCk=
AllowedIPs = 192.168.2.18/32
PersistentKeepalive = 25
`;

Deno.test("a server's file gives its key, port and peers, so that clients stay as they are", async () => {
  await using router = await testRouter();
  const result = await router.json("PUT", `${PATH}/import`, {
    body: { Config: `${SERVER}Table = off\n`.replace("Table = off\n", "") },
  });
  assert.deepEqual(result, { Peers: 2, Sites: 0, Ignored: [] });
  const { wireguard, devices } = router.engine.config;
  assert.equal(wireguard.ListenPort, 51820);
  assert.deepEqual(wireguard.Peers, [
    { PublicKey: KEY, PresharedKey: "", PersistentKeepalive: 0 },
    {
      PublicKey: OTHER_KEY,
      PresharedKey: "dwyS2MCC7Q0FuSVTbNQVXtfAQS4U8G1Bc5nLPhcIGCk=",
      PersistentKeepalive: 25,
    },
  ]);
  assert.deepEqual(
    Object.values(devices).map(({ Name, RecentIP, Policies }) => [Name, RecentIP, Policies]),
    [["Anna's phone", "192.168.2.14", ["noapi"]], ["Laptop", "192.168.2.18", ["noapi"]]],
  );
});

Deno.test("a hostile file gives no device a name that shows as another text", async () => {
  await using router = await testRouter();
  const name = `An\u001b[31mna\u202e\u2028 ${"x".repeat(54)}\u{1f600}`;
  const loose = btoa(String.fromCharCode(...new Uint8Array(32).fill(255)));
  const Config = SERVER.replace("Anna's phone", name)
    .replace(/^PrivateKey.*$/m, `PrivateKey = ${loose}`);
  await router.json("PUT", `${PATH}/import`, { body: { Config } });
  const { Name } = router.engine.config.devices[KEY]!;
  assert.ok(Name.startsWith("An[31mna x"), JSON.stringify(Name));
  assert.equal(line(63).safeParse(Name).data, Name);
  // As WireGuard keeps it: set again and again, another spelling would end all sessions each time.
  assert.equal(router.engine.config.wireguard.PrivateKey, clampedKey(loose));
});

Deno.test("a file with commands, or one that cannot be followed, is refused with its line", async () => {
  await using router = await testRouter();
  const bad: readonly (readonly [string, RegExp])[] = [
    [
      SERVER.replace("[Interface]\n", "[Interface]\nPostUp = iptables -A FORWARD -j ACCEPT\n"),
      /Line 2: PostUp runs a command as root/,
    ],
    [
      SERVER.replace("[Interface]", "[Interface]\npreDown=reboot"),
      /Line 2: preDown runs a command/,
    ],
    [SERVER.replace("[Interface]", "[Tunnel]"), /Line 1/],
    ["", /no section \[Interface\]/],
    [`${SERVER}[Interface]\n`, /second section/],
    [SERVER.replace(/^PrivateKey.*$/m, "PrivateKey = hunter2"), /Line 4: Write a key of 32 bytes/],
    [SERVER.replace(/^PrivateKey.*$/m, ""), /has no PrivateKey/],
    [SERVER.replace("51820", "65536"), /Line 3: Use a port/],
    [SERVER.replace("51820", "0"), /Line 3: Use a port/],
    [SERVER.replace("192.168.2.14/32", "10.9.0.2/32"), /Line 9: 10\.9\.0\.2 is not the device/],
    [SERVER.replace("192.168.2.14/32", "192.168.9.0/24"), /joined as a site/],
    [SERVER.replace("192.168.2.18", "192.168.2.14"), /The peer of line 10: .*192\.168\.2\.14/],
    [SERVER.replace(OTHER_KEY, KEY), /Line 10: This peer has the same key as that of line 7/],
    [SERVER.replace(KEY, KEY.slice(4)), /Line 8: Write a WireGuard public key/],
    [`${SERVER}Secret = 1\n`, /Secret is no setting of \[Peer\]/],
  ];
  for (const [Config, label] of bad) {
    const { status, text } = await refused(router, { Config }, "/import");
    assert.ok(status === 400 || status === 409, text);
    assert.match(text, label);
    assert.doesNotMatch(text, /hunter2|iptables|aFqUtT4J/);
  }
  assert.deepEqual(router.engine.config.wireguard.Peers, []);
});

Deno.test("a site's file with all traffic, several peers or commands is refused", async () => {
  await using router = await testRouter();
  const file = (peer: string, more = "") =>
    `[Interface]\nPrivateKey = aFqUtT4JzVSgVbSAvbnRLnbSUPLrDHk0SgLDFVFtAVk=\n${more}[Peer]\n` +
    `PublicKey = ${KEY}\n${peer}`;
  const bad: readonly (readonly [string, RegExp])[] = [
    [file("AllowedIPs = 0.0.0.0/0\n"), /would take all traffic/],
    [file("AllowedIPs = fd00::/8\n"), /no IPv4 network/],
    [
      file(`AllowedIPs = ${Array.from({ length: 65 }, (_, at) => `10.7.${at}.0/24`)}\n`),
      /Line 5: List at most 64 networks/,
    ],
    [file("AllowedIPs = 10.7.0.0/16\n", "PostUp = sh\n"), /PostUp runs a command/],
    [file(`AllowedIPs = 10.7.0.0/16\n[Peer]\nPublicKey = ${OTHER_KEY}\n`), /several peers/],
    [file("AllowedIPs = 10.7.0.0/16\nEndpoint = a b:1\n"), /Write a name or address/],
  ];
  for (const [Config, label] of bad) {
    const { status, text } = await refused(router, { Name: "Cabin", Config }, "/site/import");
    assert.equal(status, 400, text);
    assert.match(text, label);
  }
});

Deno.test("what of a file has no effect here is named, in the preview as in the response", async () => {
  await using router = await testRouter();
  const Config = SERVER.replace(
    "AllowedIPs = 192.168.2.14/32",
    "AllowedIPs = 192.168.2.14, fd00::2",
  )
    .replace("Address = 192.168.2.1/24", "Address = 10.8.0.1/24, 192.168.2.1/24\nDNS = 1.1.1.1");
  const left = [
    "10.8.0.1/24 of Address (line 2)",
    "DNS (line 3)",
    "fd00::2 of AllowedIPs (line 10)",
  ];
  const preview = await router.json<{ effects: string[] }>("PUT", `${PATH}/import?dryRun=true`, {
    body: { Config },
  });
  assert.ok(preview.effects.some((text) => left.every((one) => text.includes(one))));
  const { Ignored } = await router.json<{ Ignored: string[] }>("PUT", `${PATH}/import`, {
    body: { Config },
  });
  assert.deepEqual(Ignored, left);
  const bad = await refused(
    router,
    { Config: Config.replace("fd00::2", "fd00::2/129") },
    "/import",
  );
  assert.equal(bad.status, 400);
  assert.match(bad.text, /Line 10: AllowedIPs has an entry that is no network/);
  const site = await router.json<{ Ignored: string[] }>("PUT", `${PATH}/site/import`, {
    body: {
      Name: "Cabin",
      Config: `[Interface]
PrivateKey = dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqXAf7pCXalCo=
Address = 10.9.0.2/32, fd09::2/128
[Peer]
PublicKey = 5XWHXDOzGqMbCwxjm9o6u2fAAQ3pOa2pJPE1iYdkWRQ=
AllowedIPs = 192.168.7.0/24, fd07::/64
Endpoint = vpn.example.org:51280
`,
    },
  });
  assert.deepEqual(site.Ignored, [
    "fd09::2/128 of Address (line 3)",
    "fd07::/64 of AllowedIPs (line 6)",
  ]);
});

Deno.test("a file of thousands of peers is taken over at once, and twice without a change", () => {
  const keys = Array.from(
    { length: 4000 },
    (_, at) =>
      publicKeyOf(
        privateKey(new Uint8Array(32).fill(1).map((one, i) => i < 2 ? at >> (8 * i) : one)),
      ),
  );
  const peers = [...new Set(keys)].map((key, at) =>
    `[Peer]\nPublicKey = ${key}\nAllowedIPs = ${formatIpv4(parseIpv4("10.10.0.2")! + 4 * at)}\n`
  );
  const text = `[Interface]\nPrivateKey = aFqUtT4JzVSgVbSAvbnRLnbSUPLrDHk0SgLDFVFtAVk=\n${
    peers.join("")
  }`;
  const plain = configWith({});
  const config = { ...plain, dhcp: { ...plain.dhcp, TinyNets: ["10.10.0.0/16"] } };
  const made = { presharedKey: "", serverKey: "", privateKey: "", peerPrivateKey: "" };
  const [once, result] = atOnce(importServer(config, text, { made, others: [] }));
  assert.equal(result.Peers, peers.length);
  assert.equal(Object.keys(once.devices).length, peers.length);
  assert.equal(atOnce(importServer(once, text, { made, others: [] }))[0], once);
});
