import assert from "node:assert/strict";
import fc from "fast-check";
import { writeTar } from "../../../system/backup/tar.ts";
import { Manifest, rightsChange, rightsOf } from "../../../system/plugins/deno/manifest.ts";
import { pluginPlaces, runArguments } from "../../../system/plugins/deno/run_arguments.ts";
import { hashOf, readCode } from "../../../system/plugins/install/code.ts";
import { readFolder } from "../../../system/plugins/install/folder.ts";
import { MAX_PLUGINS } from "../../../system/plugins/schema.ts";
import { readTar } from "../../../system/backup/tar.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const PLAIN = { Name: "sample", URI: "sample", Version: "1.0.0", Main: "main.ts" };
const file = (path: string, text = "") => ({ path, bytes: encode(text) });
const withManifest = (
  manifest: unknown,
  ...more: readonly { path: string; bytes: Uint8Array<ArrayBuffer> }[]
) => [
  file("plugin.json", JSON.stringify(manifest)),
  file("main.ts", "1"),
  ...more,
];

Deno.test("a plugin runs with its own folder and socket and what its manifest names, and no more", () => {
  const places = pluginPlaces("/h", "sample", "a".repeat(64));
  const grants = (Permissions: unknown) =>
    runArguments(Manifest.parse({ ...PLAIN, Permissions }), places).filter((one) =>
      /^--allow/.test(one)
    );
  const { socket, code, data } = places;
  const own = [
    `--allow-net=unix:${socket}`,
    `--allow-read=${code},${data},${socket}`,
    `--allow-write=${data},${socket}`,
  ];
  assert.deepEqual(grants({}), own);
  assert.deepEqual(grants({ net: ["api.example:443"], sys: ["hostname"] }), [
    `${own[0]},api.example:443`,
    own[1],
    own[2],
    "--allow-sys=hostname",
  ]);
  assert.deepEqual(grants({ read: true }), [own[0], "--allow-read", own[2]]);
  const all = runArguments(Manifest.parse(PLAIN), places);
  for (const flag of ["--no-prompt", "--no-remote", "--no-npm", "--cached-only", "--no-config"]) {
    assert.ok(all.includes(flag), flag);
  }
  assert.deepEqual(all.slice(-3), [`${code}/main.ts`, socket, data]);
});

Deno.test("a manifest that is an argument, a path elsewhere or no plain name is refused", () => {
  const bad: readonly object[] = [
    ...["-rf", "a/b", "..", "", "a b"].map((Name) => ({ Name })),
    ...["", "..", "a//b", "%2e", "/a"].map((URI) => ({ URI })),
    ...["../main.ts", "/etc/x.ts", "-e.ts", "https://x/y.ts", "main.sh", "a/../b.ts"].map((
      Main,
    ) => ({ Main })),
    ...["../x", "/a/../b", "relative", "/a,b", "/a\nb", "-x"].map((path) => ({
      Permissions: { read: [path] },
    })),
    ...["--allow-all", "a b", "a,b", "https://x", "x:99999999", "unix:../x"].map((net) => ({
      Permissions: { net: [net] },
    })),
    { Permissions: { all: true } },
    { Permissions: { run: [""] } },
    { MemoryMiB: 100_000 },
    { ScopedPaths: [""] },
  ];
  for (const part of bad) {
    assert.throws(
      () => readCode(withManifest({ ...PLAIN, ...part })),
      { status: 400 },
      JSON.stringify(part),
    );
  }
  fc.assert(fc.property(fc.string(), (net) => {
    const parsed = Manifest.safeParse({ ...PLAIN, Permissions: { net: [net] } });
    if (!parsed.success) return;
    const args = runArguments(parsed.data, pluginPlaces("/h", "sample", "a".repeat(64)));
    assert.equal(args.filter((one) => one.startsWith("--allow-net=")).length, 1);
    assert.ok(!net.includes(",") && !net.startsWith("-") && !/\s/.test(net));
  }));
});

Deno.test("what a plugin asks for is said in sentences, what is dangerous first", () => {
  const all = { net: true, read: true, write: true, run: true, ffi: true, env: true, sys: true };
  const rights = rightsOf(Manifest.parse({ ...PLAIN, Permissions: all, ScopedPaths: ["/"] }));
  assert.deepEqual(rights.filter(({ isDangerous }) => isDangerous).map(({ text }) => text), [
    "Start any program",
    "Load any native library",
    "Write any file",
    "Read any file",
    "Connect to any address, also of the LAN",
    "Read every environment variable",
    "Read every fact of the machine",
    "Do everything that an admin may",
  ]);
  const few = rightsOf(
    Manifest.parse({
      ...PLAIN,
      Permissions: { net: ["a.example:443"] },
      ScopedPaths: ["/devices:r"],
    }),
  );
  assert.ok(few.every(({ isDangerous }) => !isDangerous));
  const { added, removed } = rightsChange(few, rights);
  assert.ok(added.some(({ text }) => text === "Start any program"));
  assert.ok(removed.some(({ text }) => text === "Connect to a.example:443"));
});

Deno.test("files are known by their hash, whatever their order, and by that alone", () => {
  const some = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,3}$/), fc.string()), {
    selector: ([path]) => path,
    minLength: 1,
  });
  fc.assert(fc.property(some, (entries) => {
    const files = entries.map(([path, text]) => file(path, text));
    const hash = hashOf(files);
    assert.equal(hashOf(files.toReversed()), hash);
    const [first, ...rest] = files;
    assert.notEqual(hashOf([file(first!.path, `${entries[0]![1]}x`), ...rest]), hash);
    assert.notEqual(hashOf([file(`${first!.path}x`, entries[0]![1]), ...rest]), hash);
  }));
  const others = hashOf([file("main.ts", "1")]);
  assert.equal(readCode(withManifest({ ...PLAIN, Hash: others })).manifest.Name, "sample");
  assert.throws(() => readCode(withManifest({ ...PLAIN, Hash: "0".repeat(64) })), /not those/);
  const inside = withManifest(PLAIN).map(({ path, bytes }) => ({
    path: `sample-1/${path}`,
    bytes,
  }));
  assert.equal(readCode(inside).hash, readCode(withManifest(PLAIN)).hash, "a folder around it");
});

Deno.test("archives and folders with links, bombs or names that lead elsewhere are refused", async () => {
  for (const path of ["../x", "/x", "-x", "a/../../x", "a\\b"]) {
    const tar = writeTar([{ path: "ok", bytes: encode("1") }], 0);
    const name = encode(path.padEnd(100, "\0"));
    tar.set(name, 0);
    tar.set(encode(" ".repeat(8)), 148);
    const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0);
    tar.set(encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
    assert.throws(() => readTar(tar), { status: 400 }, path);
  }
  for (const path of [".git/config", "a/.hidden", "a\nb", "ä", "a/b/c/d/e/f/g/h/i"]) {
    assert.throws(() => readCode(withManifest(PLAIN, file(path))), { status: 400 }, path);
  }
  assert.throws(() => readCode([file("main.ts")]), /no plugin.json/);
  assert.throws(() => readCode([file("plugin.json", "{"), file("main.ts")]), /not JSON/);
  assert.throws(() => readCode([file("plugin.json", JSON.stringify(PLAIN))]), /no file main.ts/);
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.ts`, "1");
  assert.equal((await readFolder(folder)).length, 1);
  await Deno.symlink("/etc/passwd", `${folder}/link`);
  await assert.rejects(readFolder(folder), /link/);
  await Deno.remove(`${folder}/link`);
  const big = await Deno.open(`${folder}/big`, { create: true, write: true });
  await big.truncate(32 << 20);
  big.close();
  await assert.rejects(readFolder(folder), /larger/);
  await Deno.remove(folder, { recursive: true });
  assert.ok(MAX_PLUGINS > 0);
});
