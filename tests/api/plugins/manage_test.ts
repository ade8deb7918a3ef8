import assert from "node:assert/strict";
import type { Plugin } from "../../../system/plugins/schema.ts";
import { otpOf } from "../../kit/otp.ts";
import { SAMPLE } from "../../kit/plugins/stage.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

const put = (router: TestRouter, body: object, name = "sample", headers = {}) =>
  router.ask("PUT", `/plugins_api/${name}`, { body, headers });
const names = (list: readonly Plugin[]) => list.map(({ Name }) => Name);

Deno.test("plugins are listed after the parts of Sluice, added, changed and removed", async () => {
  await using router = await testRouter();
  const before = await router.json<Plugin[]>("GET", "/plugins");
  assert.ok(names(before).includes("wireguard") && names(before).includes("dns-block-extension"));
  assert.deepEqual(await router.json("GET", "/plugins_api/"), before);
  const after: Plugin[] = await (await put(router, { ...SAMPLE, Unknown: 1 })).json();
  assert.deepEqual(names(after), [...names(before), "sample"]);
  assert.equal(after.at(-1)!.UnixPath, SAMPLE.UnixPath);
  const again = await put(router, SAMPLE);
  assert.equal(again.headers.get("change-id"), null, "twice is once");
  const changed: Plugin[] = await (await put(router, { ...SAMPLE, Enabled: false }, "SAMPLE"))
    .json();
  assert.deepEqual([changed.at(-1)!.Name, changed.at(-1)!.Enabled], ["sample", false]);
  const file = JSON.parse(await Deno.readTextFile(`${router.home}/configs/base/api.json`));
  assert.deepEqual(file.Plugins.map(({ Name }: Plugin) => Name), ["sample"]);
  const rest: Plugin[] = await (await router.ask("DELETE", "/plugins_api/sample", { body: SAMPLE }))
    .json();
  assert.deepEqual(names(rest), names(before));
  assert.equal((await router.ask("DELETE", "/plugins_api/sample")).status, 404);
});

Deno.test("entries that would take what is another's are refused with their place", async () => {
  await using router = await testRouter();
  await put(router, SAMPLE);
  const other = { Name: "other", URI: "other", Enabled: true };
  const bad: readonly (readonly [object, string])[] = [
    ...["sample", "sample/x", "dns", "dns/block", "dns/block/x", "wireguard", "lookup/x", "db"]
      .map((URI) => [{ ...other, URI }, "/URI"] as const),
    ...["..", "a/..", "%2e", "a//b", "/a", "a/", "a b", "a;b", "a?b", "a\\b"]
      .map((URI) => [{ ...other, URI }, "/URI"] as const),
    ...["/state/net/netd.sock", "/run/docker.sock", "/state/plugins/sample/socket", "/a/../b", "x"]
      .map((UnixPath) => [{ ...other, UnixPath }, "/UnixPath"] as const),
    ...["file:///x", "--upload-pack=x", "ssh://h/x", "git@h:x", "https://u:p@h/x", "http://h/x"]
      .map((GitURL) => [{ ...other, GitURL }, "/GitURL"] as const),
    ...["../x.yml", "/etc/x.yml", "-f.yml", "a/../b.yml", "x.sh"]
      .map((ComposeFilePath) => [{ ...other, ComposeFilePath }, "/ComposeFilePath"] as const),
    [{ ...other, InstallTokenPath: "/etc/shadow" }, "/InstallTokenPath"],
    [{ ...other, InstallTokenPath: "/configs/plugins/../auth/x" }, "/InstallTokenPath"],
    [{ ...other, Plus: true }, "/Plus"],
    [{ ...other, Name: "another" }, "/Name"],
  ];
  const headers = await otpOf(router);
  for (const [body, pointer] of bad) {
    const answer = await put(router, body, "other", headers);
    const text = await answer.text();
    assert.equal(answer.status, 400, `${JSON.stringify(body)} ${text}`);
    assert.ok(text.includes(`"pointer":"${pointer}`), `${JSON.stringify(body)} ${text}`);
  }
  for (const name of ["-rf", "a/b", "a%2fb", "..", "a b", "x".repeat(64)]) {
    const answer = await put(router, { URI: "y" }, encodeURIComponent(name), headers);
    assert.ok([400, 404].includes(answer.status), name);
  }
  for (const name of ["wireguard", "MESH", "db"]) {
    assert.equal((await put(router, { URI: "z", Enabled: false }, name)).status, 409, name);
    assert.equal((await router.ask("DELETE", `/plugins_api/${name}`)).status, 409, name);
  }
});

Deno.test("another source, socket, compose file or a page without a sandbox needs a one-time password", async () => {
  await using router = await testRouter();
  const git = { ...SAMPLE, GitURL: "https://git.example/me/sample" };
  const status = async (body: object, headers = {}) => {
    const answer = await put(router, body, "sample", headers);
    const text = await answer.text();
    if (answer.status === 403) assert.match(text, /Invalid JWT/);
    return answer.status;
  };
  assert.equal(await status({ ...SAMPLE, SandboxedUI: false }), 403);
  assert.equal(await status(git), 403);
  const headers = await otpOf(router);
  assert.equal(await status(git, headers), 200);
  assert.equal(await status({ ...git, Enabled: false }), 200, "turning it off needs none");
  assert.equal(await status({ ...git, Enabled: true }), 200);
  assert.equal(await status({ ...git, UnixPath: "/state/plugins/sample/other" }), 403);
  assert.equal(await status({ ...git, SandboxedUI: false }), 403);
  const compose = { ...git, ComposeFilePath: "plugins/user/sample/docker-compose.yml" };
  assert.equal(await status(compose), 403);
  assert.equal(await status(compose, headers), 400, "it is not permitted yet");
  const path = "/plugin/custom_compose_paths";
  assert.equal((await router.ask("PUT", path, { body: [compose.ComposeFilePath] })).status, 403);
  await router.ask("PUT", path, { body: [compose.ComposeFilePath], headers });
  assert.deepEqual(await router.json("GET", path, { headers }), [compose.ComposeFilePath]);
  assert.equal(await status(compose, headers), 200);
});

Deno.test("add-ons start and stop by name, and their token is stored but never shown", async () => {
  await using router = await testRouter();
  await put(router, { ...SAMPLE, Enabled: false });
  const enabled = async () => (await router.json<Plugin[]>("GET", "/plugins")).at(-1)!.Enabled;
  assert.deepEqual(await router.json("PUT", "/startPlusExtension?name=sample"), []);
  assert.equal(await enabled(), true);
  assert.deepEqual(await router.json("PUT", "/stopPlusExtension", { body: "sample" }), []);
  assert.equal(await enabled(), false);
  assert.equal((await router.ask("PUT", "/startPlusExtension?name=none")).status, 404);
  assert.equal((await router.ask("PUT", "/startPlusExtension")).status, 400);
  const token = "a_".repeat(20);
  assert.equal(await router.json("GET", "/plusToken"), "");
  assert.equal((await router.ask("GET", "/plusTokenValid")).status, 400);
  assert.equal((await router.ask("PUT", "/plusToken", { body: "short" })).status, 400);
  assert.equal((await router.ask("PUT", "/plusToken", { body: token })).status, 200);
  assert.equal(await router.json("GET", "/plusToken"), "**");
  assert.equal((await router.ask("GET", "/plusTokenValid")).status, 200);
  const changes = await (await router.ask("GET", "/changes")).text();
  assert.doesNotMatch(changes, /a_a_/);
});

Deno.test("a file of an existing router is read: its other settings stay, bad plugins are set aside", async () => {
  const others = { InfluxDB: { URL: "http://x", Token: "t" }, AutoUpdate: true };
  await using router = await testRouter({
    files: {
      "base/api.json": {
        ...others,
        Plugins: [
          { Name: "wireguard", URI: "wireguard", UnixPath: "/state/x", Enabled: true },
          { Name: "PFW", URI: "pfw", UnixPath: "/state/plugins/pfw/socket", ScopedPaths: null },
          { Name: "evil", URI: "evil", UnixPath: "/state/net/netd.sock", Enabled: true },
        ],
      },
    },
  });
  const list = await router.json<Plugin[]>("GET", "/plugins");
  assert.deepEqual(names(list).slice(-2), ["MESH", "PFW"]);
  await put(router, SAMPLE);
  const file = JSON.parse(await Deno.readTextFile(`${router.home}/configs/base/api.json`));
  assert.deepEqual({ ...file, Plugins: 0 }, { ...others, Plugins: 0 });
});
