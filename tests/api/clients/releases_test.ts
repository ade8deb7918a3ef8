import assert from "node:assert/strict";
import { otpOf } from "../../kit/otp.ts";
import { type TestRouter, testRouter } from "../../kit/router.ts";

/** Tags of the clone that the program is in, beside the one that runs. */
async function fetchTags(router: TestRouter, ...tags: readonly string[]): Promise<void> {
  const folder = `${router.home}/.git/refs/tags`;
  await Deno.mkdir(folder, { recursive: true });
  for (const tag of tags) await Deno.writeTextFile(`${folder}/${tag}`, "");
}

async function openNotices(router: TestRouter): Promise<readonly string[]> {
  const { items } = await router.json<{ items: { kind: string; detail: string }[] }>(
    "GET",
    "/notices",
  );
  return items.filter(({ kind }) => kind === "update-requested").map(({ detail }) => detail);
}

Deno.test("channels and tags are a list of texts, however they are requested", async () => {
  await using router = await testRouter();
  await fetchTags(router, "v0.1.0", "v0.2.0-dev.1", "sha256-abc");
  const tags = ["v0.0.0", "v0.1.0", "v0.2.0-dev.1"];
  assert.deepEqual(await router.json("GET", "/releaseChannels"), ["main", "-dev", ...tags]);
  for (
    const path of [
      "/releaseChannels?container=super_base",
      "/releaseChannels/super_base",
      "/releasesAvailable",
      "/releasesAvailable?container=super_base",
    ]
  ) {
    assert.deepEqual(await router.json("GET", path), tags, path);
  }
  const { CustomChannel, CustomVersion, Current } = await router.json<Record<string, string>>(
    "GET",
    "/release",
  );
  assert.deepEqual([CustomChannel, CustomVersion, Current], ["", "", "v0.0.0"]);
  assert.equal(await router.json("GET", "/version"), "v0.0.0");
});

Deno.test("the selected channel stands once among the channels, and another is refused", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const select = async (body: unknown): Promise<number> => {
    const answer = await router.ask("PUT", "/releaseSet", { body, headers });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.equal(await select({ CustomChannel: "-dev", CustomVersion: "" }), 200);
  assert.deepEqual(await router.json("GET", "/releaseChannels"), ["main", "-dev", "v0.0.0"]);
  assert.equal(await select({ CustomChannel: "main" }), 200);
  assert.equal((await router.json<{ CustomChannel: string }>("GET", "/release")).CustomChannel, "");
  assert.equal(await select({ CustomChannel: "-beta" }), 400);
  assert.equal(await select({ CustomVersion: "1; reboot" }), 400);
});

Deno.test("an update is never an error, which clients wait ten minutes for", async () => {
  await using router = await testRouter();
  const headers = await otpOf(router);
  const update = async (): Promise<readonly [number, string, string | null]> => {
    const answer = await router.ask("PUT", "/update");
    return [answer.status, await answer.text(), answer.headers.get("content-type")];
  };
  assert.deepEqual(await update(), [200, "", null], "nothing newer is known");
  assert.deepEqual(await openNotices(router), []);

  await fetchTags(router, "v0.1.0");
  const [status, text, type] = await update();
  assert.deepEqual([status, type], [202, "text/plain; charset=utf-8"]);
  assert.match(text, /^v0\.1\.0 has to be installed by hand.* git checkout v0\.1\.0 /);
  assert.deepEqual(await openNotices(router), [text.trim()]);
  const { Current } = await router.json<{ Current: string }>("GET", "/release");
  assert.equal(Current, "v0.0.0");

  const again = await router.reopen();
  assert.equal((await openNotices(again)).length, 1, "it was not installed");
  const body = { CustomVersion: "v0.0.0" };
  await (await again.ask("PUT", "/releaseSet", { body, headers })).body?.cancel();
  const settled = await again.reopen();
  assert.deepEqual(await openNotices(settled), [], "the release that was selected runs");
  assert.equal((await settled.ask("PUT", "/update")).status, 200);
  await settled.close();
});
