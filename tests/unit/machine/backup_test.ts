import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import type { Config } from "../../../system/config.ts";
import { DEFAULT_UPLINK_SETTINGS } from "../../../system/uplink/schema.ts";
import { DEFAULT_SETTINGS } from "../../../system/dns/config/settings_schema.ts";
import { updatesDocument } from "../../../system/machine/documents.ts";
import { existingRouter, skipReason } from "../../../system/backup/existing.ts";
import { gunzip, gzip, GZIP_LIMITS } from "../../../system/backup/gzip.ts";
import { applyPartsSteps, planRestore } from "../../../system/backup/plan.ts";
import { atOnce } from "../../../system/core/time/slices.ts";
import { BackupName } from "../../../system/backup/schema.ts";
import { readTar, type TarFile, writeTar } from "../../../system/backup/tar.ts";
import { documents } from "../../../system/documents.ts";
import { DEFAULT_WIREGUARD } from "../../../system/wireguard/schema.ts";
import { configWith, KEY } from "../../kit/builders/device_config.ts";
import { inFolder } from "../../kit/process.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const file = (path: string, text = "x"): TarFile => ({ path, bytes: bytes(text) });

/** An archive of one entry with this in its header; the checksum holds. */
function forged(
  change: {
    readonly name?: string;
    readonly kind?: string;
    readonly size?: number;
    readonly body?: string;
  },
): Uint8Array<ArrayBuffer> {
  const body = change.body ?? "x";
  const archive = writeTar([file("a", body)], 0);
  const put = (text: string, at: number, length: number) => {
    archive.fill(0, at, at + length);
    archive.set(bytes(text).subarray(0, length), at);
  };
  if (change.name !== undefined) put(change.name, 0, 100);
  if (change.kind !== undefined) put(change.kind, 156, 1);
  if (change.size !== undefined) put(change.size.toString(8).padStart(11, "0"), 124, 12);
  put("        ", 148, 8);
  const sum = archive.subarray(0, 512).reduce((sum, byte) => sum + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8);
  return archive;
}

function refused(archive: Uint8Array<ArrayBuffer>, what: string): void {
  assert.throws(() => readTar(archive), { status: 400 }, what);
}

Deno.test("an archive extracts to the files that it was made of", () => {
  const name = fc.stringMatching(/^[a-z0-9_.]{1,40}$/).filter((part) => !/^\.+$/.test(part));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  fc.assert(fc.property(
    fc.uniqueArray(fc.tuple(path, fc.uint8Array({ maxLength: 2000 })), { selector: ([at]) => at }),
    (made) => {
      const files = made.map(([at, content]) => ({ path: at, bytes: Uint8Array.from(content) }));
      assert.deepEqual(readTar(writeTar(files, 1_800_000_000)), files);
    },
  ));
});

Deno.test("random bytes are parsed or refused with a message", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2048 }), fc.nat(2047), (noise, at) => {
    const archive = writeTar([file("configs/base/a.json", "{}"), file("b", "y".repeat(600))], 0);
    archive.set(Uint8Array.from(noise).subarray(0, Math.max(0, archive.length - at)), at);
    try {
      readTar(archive);
    } catch (error) {
      assert.equal((error as { status?: number }).status, 400);
    }
  }));
});

Deno.test("paths outside the archive are refused", () => {
  const bad = ["../a", "a/../../b", "/etc/passwd", "-rf", "a/-x", "a\\b", "a\nb", "a/..", "./../a"];
  for (const name of bad) refused(forged({ name }), name);
  refused(forged({ name: "a/b/c/d/e/f/g/h/i" }), "too deep");
  refused(forged({ name: "../" }), "a file without a name");
  assert.equal(readTar(forged({ name: "./a//b" }))[0]?.path, "a/b");
});

Deno.test("symlinks, device nodes, pipes and sparse entries are refused, folders skipped", () => {
  for (const kind of ["1", "2", "3", "4", "6", "7", "L", "K", "S", "V", "M"]) {
    refused(forged({ kind }), kind);
  }
  assert.deepEqual(readTar(forged({ kind: "5", body: "" })), []);
  refused(forged({ kind: "x", body: "16 path=../../x\n" }), "a path in a remark");
  assert.deepEqual(readTar(forged({ kind: "x", body: "20 mtime=1234567890\n" })), []);
});

Deno.test("truncated, corrupt, endless or concatenated archives are refused", () => {
  const archive = writeTar([file("a", "x".repeat(700))], 0);
  for (const length of [0, 100, 512, 1000, 1536]) refused(archive.slice(0, length), `${length}`);
  refused(forged({ size: 10_000_000_000 }), "a size beyond the archive");
  const broken = archive.slice();
  broken[0]! ^= 1;
  refused(broken, "a wrong checksum");
  refused(writeTar([file("a"), file("a")], 0), "two of one path");
  refused(writeTar(Array.from({ length: 2001 }, (_, n) => file(`f${n}`)), 0), "too many files");
  const folder = forged({ kind: "5", body: "" }).subarray(0, 512);
  const folders = new Uint8Array(512 * 10_003);
  for (let at = 0; at < 10_001; at++) folders.set(folder, at * 512);
  refused(folders, "too many folders");
});

Deno.test("decompression bombs and non-gzip data are refused", async () => {
  const bomb = await gzip(new Uint8Array(50 * 1024 * 1024));
  assert.ok(bomb.length < 100_000);
  await assert.rejects(gunzip(bomb), { status: 413 });
  await assert.rejects(gunzip(new Uint8Array(GZIP_LIMITS.packed + 1)), { status: 413 });
  await assert.rejects(gunzip(bytes("PK\x03\x04")), { status: 400 });
  const whole = await gzip(bytes("hello".repeat(1000)));
  await assert.rejects(gunzip(whole.slice(0, -5)), { status: 400 });
  assert.equal(new TextDecoder().decode(await gunzip(whole)), "hello".repeat(1000));
});

Deno.test("others have their turn while an archive is compressed and decompressed", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  try {
    const random = Array.from({ length: 80 }, () => crypto.getRandomValues(new Uint8Array(65_536)));
    const packed = await gzip(new Uint8Array(await new Blob(random).arrayBuffer()));
    const compressing = turns;
    await gunzip(packed);
    assert.ok(compressing > 1, `${compressing} turns`);
    assert.ok(turns > compressing + 1, `${turns - compressing} turns`);
  } finally {
    clearInterval(timer);
  }
});

Deno.test("our archives are compatible with GNU tar in each of its formats", async () => {
  await inFolder(async (folder) => {
    const long = `configs/${"long_name_".repeat(9)}/${"and_on_".repeat(9)}.json`;
    const files = [file("configs/base/dhcp.json", "{}"), file(long, "1")];
    await Deno.writeFile(join(folder, "ours.tgz"), await gzip(writeTar(files, 1_800_000_000)));
    const tar = async (...args: string[]) => {
      const { success, stdout } = await new Deno.Command("tar", { args, cwd: folder }).output();
      assert.ok(success, args.join(" "));
      return new TextDecoder().decode(stdout);
    };
    assert.deepEqual(
      (await tar("tzf", "ours.tgz")).trim().split("\n"),
      files.map(({ path }) => path),
    );
    await tar("xzf", "ours.tgz");
    for (const format of ["gnu", "ustar", "posix", "v7"]) {
      await tar("czf", "theirs.tgz", `--format=${format}`, "configs/base");
      const theirs = readTar(await gunzip(await Deno.readFile(join(folder, "theirs.tgz"))));
      assert.deepEqual(theirs.map(({ path }) => path), ["configs/base/dhcp.json"], format);
    }
    await Deno.symlink("/etc/passwd", join(folder, "configs/base/link"));
    await tar("czf", "links.tgz", "configs");
    const links = await gunzip(await Deno.readFile(join(folder, "links.tgz")));
    refused(links, "a symbolic link");
  });
});

Deno.test("a backup's name cannot traverse paths", () => {
  assert.ok(BackupName.safeParse("spr-configs-v1.1.14.tgz").success);
  assert.ok(BackupName.safeParse("spr-configs-v0.1.0-at.20261128-034700.tgz").success);
  const bad = [
    "../spr-configs-v1.0.0.tgz",
    "spr-configs-v1.0.0.tgz/..",
    "spr-configs-v1.tgz",
    "-x",
  ];
  for (const name of [...bad, "spr-configs-v1.0.0.tgz\n", "spr-configs-v1x0x0.tgz"]) {
    assert.ok(!BackupName.safeParse(name).success, name);
  }
});

const rules = { documents, foreign: existingRouter, skipReason };

Deno.test("another router's tree is imported as far as it is known, wherever it lies in the archive", () => {
  const tree = {
    "base/dhcp.json": '{"TinyNets":["10.1.0.0/16"],"LeaseTime":"1h0m0s"}',
    "base/multicast.json": '{"Addresses":[{"Address":"224.0.0.251:5353"},{"Address":"nonsense"}]}',
    "base/api.json": '{"Plugins":[],"AutoUpdate":true,"FeatureFlags":null}',
    "base/release_channel": "-dev\n",
    "base/hostname": "box",
    "base/lanip": "10.1.0.1",
    "devices/groups.json": "{ broken",
    "auth/auth_tokens.json": "[]",
    "wifi/sae_passwords": "x",
    "other/file": "y",
  };
  for (const root of ["", "configs/", "./home/super/configs/"]) {
    const files = Object.entries(tree).map(([path, text]) => file(`${root}${path}`, text));
    const { parts, report } = planRestore<Config>(files, rules);
    assert.deepEqual(parts.dhcp, { TinyNets: ["10.1.0.0/16"], LeaseTime: "1h0m0s" });
    assert.equal(parts.hostName, "box");
    assert.deepEqual([parts.updates?.AutoUpdate, parts.updates?.CustomChannel], [true, "-dev"]);
    assert.equal(parts.multicast?.Addresses.length, 1);
    const multicast = report.taken.find(({ path }) => path === "base/multicast.json");
    assert.equal(multicast?.dropped[0]?.pointer, "/Addresses/1");
    assert.deepEqual(report.left.map(({ path }) => path), [
      "auth/auth_tokens.json",
      "base/lanip",
      "devices/groups.json",
      "other/file",
      "wifi/sae_passwords",
    ]);
    assert.equal(report.taken.length + report.left.length, Object.keys(tree).length);
  }
});

Deno.test("a file that is nested too deeply is skipped, the others are imported", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const tree = {
    "base/interfaces.json": `[{"Name": "x", "Type": "Other", "More": ${nested(60_000)}}]`,
    "base/api.json": `{"AutoUpdate": true, "More": ${nested(60_000)}}`,
    "base/hostname": '"box"',
    "devices/groups.json": `[{"Name": "kids", "More": ${nested(20)}}]`,
  };
  const files = Object.entries(tree).map(([path, text]) => file(path, text));
  const { parts, report } = planRestore<Config>(files, rules);
  assert.deepEqual(Object.keys(parts).sort(), ["groups", "hostName"]);
  assert.deepEqual(report.left.map(({ path }) => path), ["base/api.json", "base/interfaces.json"]);
  assert.equal(report.left[1]?.reason, "It is nested too deeply");
});

Deno.test("another router's resolvers are imported, unless the archive has ours", () => {
  const dns = (DNS: unknown, more: Readonly<Record<string, string>> = {}) => {
    const tree = { "base/api.json": JSON.stringify({ Plugins: [], DNS }), ...more };
    return planRestore<Config>(Object.entries(tree).map(([path, text]) => file(path, text)), rules);
  };
  const theirs = {
    UpstreamTLSHost: "dns.quad9.net",
    UpstreamIPAddress: "9.9.9.9",
    DisableTls: false,
    UpstreamProviders: null,
  };
  const { parts, report } = dns(theirs);
  assert.deepEqual(parts.dns?.UpstreamProviders, [
    { IPAddress: "9.9.9.9", TLSHost: "dns.quad9.net", DisableTls: false },
  ]);
  assert.deepEqual(report.taken.map(({ path, document }) => [path, document]), [
    ["base/api.json", "dns"],
  ]);
  for (const nothing of [undefined, null, {}, "x", { ...theirs, UpstreamIPAddress: "" }]) {
    assert.equal(dns(nothing).parts.dns, undefined, JSON.stringify(nothing));
  }
  const ours = JSON.stringify({ ...DEFAULT_SETTINGS, TlsDisable: false });
  assert.equal(dns(theirs, { "base/dns.json": ours }).parts.dns?.UpstreamIPAddress, "1.1.1.1");
});

Deno.test("another router's uplink settings are imported, unless the archive has ours", () => {
  const plan = (tree: Readonly<Record<string, unknown>>) =>
    planRestore<Config>(
      Object.entries(tree).map(([path, value]) => file(path, JSON.stringify(value))),
      rules,
    );
  const theirs = {
    "base/wan_health.json": {
      ...{ Enabled: true, IntervalSeconds: 7, ProbeTargets: ["192.0.2.53", "name.example"] },
      ...{ FailThreshold: 5, RecoverThreshold: 3, FailoverEnabled: false, SpeedTestURL: "x" },
    },
    "base/uplinks.json": { LoadBalanceStrategy: "saddr" },
  };
  const { parts, report } = plan(theirs);
  assert.deepEqual(parts.wan, {
    ...DEFAULT_UPLINK_SETTINGS,
    ...{ IntervalSeconds: 7, ProbeTargets: ["192.0.2.53"], FailThreshold: 5 },
    ...{ FailoverEnabled: false, Balance: "source" },
  });
  assert.deepEqual(report.taken.map(({ path, document }) => [path, document]), [
    ["base/uplinks.json", "wan"],
    ["base/wan_health.json", "wan"],
  ]);
  assert.equal(
    plan({ "base/uplinks.json": { LoadBalanceStrategy: "" } }).parts.wan?.Balance,
    "pair",
  );
  const broken = plan({ "base/wan_health.json": [], "base/uplinks.json": "saddr" });
  assert.deepEqual([broken.parts.wan, broken.report.left.length], [undefined, 2]);
  const ours = plan({
    ...theirs,
    "base/wan.json": { ...DEFAULT_UPLINK_SETTINGS, IntervalSeconds: 9 },
  });
  assert.equal(ours.parts.wan?.IntervalSeconds, 9);
  assert.deepEqual(ours.report.left.map(({ path }) => path).length, 2);
});

Deno.test("an invalid release field does not affect the others", () => {
  const plan = (api: unknown, more: Readonly<Record<string, string>>) =>
    planRestore<Config>(
      Object.entries({ "base/api.json": JSON.stringify(api), ...more })
        .map(([path, text]) => file(path, text)),
      rules,
    );
  const bad = plan({ AutoUpdate: "yes", CheckUpdates: false, FeatureFlags: ["x"] }, {
    "base/release_channel": "no channel at all",
    "base/release_version": "v1.2.3",
  });
  assert.deepEqual(bad.parts.updates, {
    CustomChannel: "",
    CustomVersion: "v1.2.3",
    AutoUpdate: false,
    CheckUpdates: false,
    FeatureFlags: [],
  });
  assert.deepEqual(bad.report.left.map(({ path }) => path), ["base/release_channel"]);
  const none = plan({ AutoUpdate: "yes" }, {});
  assert.equal(none.parts.updates, undefined);
  assert.deepEqual(none.report.left, []);
  assert.deepEqual(none.report.taken.map(({ document }) => document), ["plugins"]);
  const own = updatesDocument.read({ AutoUpdate: "yes", CheckUpdates: false, __proto__: 1 });
  assert.deepEqual([own.value.AutoUpdate, own.value.CheckUpdates], [false, false]);
  assert.deepEqual(own.rejected.map(({ pointer }) => pointer), ["/AutoUpdate"]);
});

Deno.test("a restore report quotes nothing of a file that is not JSON", () => {
  const { report } = planRestore<Config>([file("devices/devices.json", '{"Psk": hunter22')], rules);
  assert.doesNotMatch(JSON.stringify(report), /hunter22/);
});

Deno.test("restoring identical parts changes nothing", () => {
  const config = configWith();
  const applied = (parts: Partial<Config>) => atOnce(applyPartsSteps(config, parts));
  assert.equal(applied({ dhcp: structuredClone(config.dhcp), names: [] }), config);
  assert.deepEqual(applied({ names: ["x.org"] }), { ...config, names: ["x.org"] });
});

Deno.test("another router's VPN is imported with its key and peers, unless the archive has ours", () => {
  const key = "aFqUtT4JzVSgVbSAvbnRLnbSUPLrDHk0SgLDFVFtAVk=";
  const text =
    `[Interface]\nListenPort = 51281\nPrivateKey = ${key}\n\n[Peer]\nPublicKey = ${KEY}\n` +
    "AllowedIPs = 192.168.2.14/32\n";
  const files = [
    file("wireguard/wg0.conf", text),
    file("wireguard/wg.json", '{"Endpoints":["vpn.example.org:51281"]}'),
  ];
  const { parts, report } = planRestore<Config>(files, rules);
  assert.deepEqual(parts.wireguard, {
    ...DEFAULT_WIREGUARD,
    Enabled: true,
    ListenPort: 51281,
    PrivateKey: key,
    Endpoints: ["vpn.example.org:51281"],
    Peers: [{ PublicKey: KEY, PresharedKey: "", PersistentKeepalive: 0 }],
  });
  assert.deepEqual(report.left, []);
  const ours = JSON.stringify({ ...DEFAULT_WIREGUARD, ListenPort: 7 });
  const both = planRestore<Config>([...files, file("wireguard/wireguard.json", ours)], rules);
  assert.equal(both.parts.wireguard?.ListenPort, 7);
  const broken = planRestore<Config>([file("wireguard/wg0.conf", "PostUp = x")], rules);
  assert.equal(broken.parts.wireguard, undefined);
});

Deno.test("an archive of two trees with the same file is refused", () => {
  const rules = { documents, foreign: existingRouter, skipReason };
  const both = [file("old/configs/base/hostname", "a"), file("new/configs/base/hostname", "b")];
  assert.throws(() => planRestore(both, rules), {
    status: 400,
    message: /configs\/base\/hostname in two folders/,
  });
  const one = planRestore([file("old/configs/base/hostname", "gatehouse")], rules);
  assert.equal(one.parts.hostName, "gatehouse");
});
