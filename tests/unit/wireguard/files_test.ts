import assert from "node:assert/strict";
import fc from "fast-check";
import { Problem } from "../../../system/core/errors/problem.ts";
import { wireguardDocument } from "../../../system/wireguard/document.ts";
import { formatEndpoint, parseEndpoint } from "../../../system/wireguard/endpoint.ts";
import { isPublic } from "../../../system/core/net/public_address.ts";
import { reachedAt } from "../../../system/wireguard/files/client_config.ts";
import { parseConfigFile } from "../../../system/wireguard/files/config_file.ts";
import { clampedKey, privateKey, publicKeyOf } from "../../../system/wireguard/keys.ts";
import { DEFAULT_WIREGUARD, PrivateKey } from "../../../system/wireguard/schema.ts";
import { KEY, OTHER_KEY } from "../../kit/builders/device_config.ts";

const PRIVATE = "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqXAf7pCXalCo=";
const PUBLIC = "hltlzMeOu2QNcHS9COOrkqOkZQKHgPwrR1MyxG5k/kI=";

Deno.test("a private key is clamped and gives the public key that wg gives", () => {
  // As wg pubkey prints it.
  assert.equal(publicKeyOf(PRIVATE), PUBLIC);
  const made = privateKey(new Uint8Array(32).fill(255));
  const bytes = Uint8Array.from(atob(made), (letter) => letter.charCodeAt(0));
  assert.equal(bytes[0], 248);
  assert.equal(bytes[31], 127);
  assert.throws(() => privateKey(new Uint8Array(31)), RangeError);
  // Another spelling of it, as some programs write keys: WireGuard would read it back clamped.
  const loose = new Uint8Array(32).fill(255);
  assert.equal(PrivateKey.parse(btoa(String.fromCharCode(...loose))), made);
  assert.equal(PrivateKey.safeParse(`${"A".repeat(43)}=`).success, false);
  assert.equal(PrivateKey.safeParse("hunter2").success, false);
});

Deno.test("endpoints are read and written, and nothing else is taken for one", () => {
  const good: readonly (readonly [string, string, number | null])[] = [
    ["VPN.example.org:51280", "vpn.example.org", 51280],
    ["203.0.113.7", "203.0.113.7", null],
    ["[2001:db8::1]:1", "2001:db8::1", 1],
    ["2001:db8::1", "2001:db8::1", null],
    ["router", "router", null],
    ["[2001:DB8:0:0::1]:5", "2001:db8::1", 5],
    ["[::ffff:203.0.113.7]:5", "203.0.113.7", 5],
  ];
  for (const [text, host, port] of good) {
    assert.deepEqual(parseEndpoint(text), { host, port }, text);
    assert.deepEqual(parseEndpoint(formatEndpoint({ host, port })), { host, port });
  }
  const bad = [
    ...["", " ", "a b", "a:0", "a:65536", "a:01", "a:", ":1", "1.2.3", "1.2.3.4.5", "a..b", "-a"],
    ...["[1.2.3.4]:1", "[::1]x", "[::1", "a/b", "a;b", "$(x)", "a\n:1", "fe80::1%eth0"],
    ...[
      "0.0.0.0:1",
      "127.0.0.1",
      "224.0.0.1:1",
      "255.255.255.255",
      "[::]:1",
      "[::1]:1",
      "[ff02::1]:1",
    ],
    ...["[::ffff:127.0.0.1]:1", "a\u0000b:1", "a\tb:1", "a\u00a0b", "127.1", "0x7f.1"],
  ];
  for (const text of bad) assert.equal(parseEndpoint(text), null, text);
});

Deno.test("a configuration file is read whatever its case, blanks and comments", () => {
  const file = parseConfigFile(
    `# made elsewhere\r\n[interface]\r\nPRIVATEKEY=${PRIVATE} # secret\r\nAddress = 10.9.0.1/24\r\n` +
      `address=fd00::1/64\r\nSaveConfig = true\r\n\r\n### Client anna\n[PEER]\npublickey = ${KEY}\n` +
      "allowedips=10.9.0.2/32,\n",
  );
  assert.equal(file.tunnel.settings.get("privatekey")?.text, PRIVATE);
  assert.equal(file.tunnel.settings.get("address")?.text, "10.9.0.1/24, fd00::1/64");
  assert.deepEqual(file.ignored, ["SaveConfig (line 6)"]);
  assert.equal(file.peers[0]?.name, "Client anna");
  assert.equal(file.peers[0]?.settings.get("publickey")?.line, 10);
});

Deno.test("any text is read as a configuration file or refused as a problem", () => {
  const word = fc.constantFrom(
    ...["[Interface]", "[Peer]", "PublicKey", "=", "\n", "#", " ", KEY, "PostUp", "x", "\0"],
  );
  fc.assert(fc.property(fc.array(word), (words) => {
    try {
      parseConfigFile(words.join(""));
    } catch (error) {
      assert.ok(error instanceof Problem && error.status === 400);
      assert.ok(!error.message.includes(KEY));
    }
  }));
});

Deno.test("the document rejects single entries that are none or stand twice", () => {
  const peer = { PublicKey: KEY, PresharedKey: "", PersistentKeepalive: 0 };
  const { value, rejected } = wireguardDocument.read({
    Enabled: true,
    PrivateKey: PRIVATE,
    Peers: [peer, { ...peer }, { PublicKey: "x" }, { PublicKey: OTHER_KEY }],
    Sites: [{ Name: "a" }],
  });
  assert.deepEqual(value.Peers.map(({ PublicKey }) => PublicKey), [KEY, OTHER_KEY]);
  assert.deepEqual(rejected.map(({ pointer }) => pointer), [
    "/Peers/1",
    "/Peers/2",
    "/Sites/0",
  ]);
  assert.throws(() => wireguardDocument.read({ ListenPort: 0 }), Problem);
});

Deno.test("the file of an existing router is taken over; a key that is none is made anew", () => {
  const older = wireguardDocument.older!;
  const text = `[Interface]\nListenPort = 51280\nPrivateKey = ${PRIVATE}\n\n[Peer]\n` +
    `PublicKey = ${KEY}\nPresharedKey = ${OTHER_KEY}\nAllowedIPs = 192.168.2.14/32\n`;
  assert.deepEqual(older.read(text)?.value, {
    ...DEFAULT_WIREGUARD,
    Enabled: true,
    PrivateKey: clampedKey(PRIVATE),
    Peers: [{ PublicKey: KEY, PresharedKey: OTHER_KEY, PersistentKeepalive: 0 }],
  });
  const fresh = older.read("[Interface]\nPrivateKey = privatekey\n")?.value;
  assert.deepEqual([fresh?.Enabled, fresh?.PrivateKey], [false, ""]);
  assert.equal(older.read(""), null);
});

Deno.test("clients are sent to the chosen endpoint, else the name, else a public address", () => {
  const at = { sent: "", endpoints: [], names: [], addresses: [], port: 51280 };
  const addresses = ["192.168.1.7", "198.51.100.7"];
  assert.equal(reachedAt(at), "");
  assert.equal(reachedAt({ ...at, addresses }), "198.51.100.7:51280");
  assert.equal(reachedAt({ ...at, addresses: ["10.0.0.2"] }), "10.0.0.2:51280");
  assert.equal(reachedAt({ ...at, addresses, names: ["home.example"] }), "home.example:51280");
  assert.equal(
    reachedAt({ ...at, names: ["a.example"], endpoints: ["b.example:9"] }),
    "b.example:9",
  );
  assert.equal(reachedAt({ ...at, sent: "2001:db8::1" }), "[2001:db8::1]:51280");
  assert.deepEqual(["100.64.0.1", "172.31.0.1", "8.8.8.8"].map(isPublic), [false, false, true]);
});
