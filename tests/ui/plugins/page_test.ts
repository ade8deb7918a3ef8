import assert from "node:assert/strict";
import { gzip } from "../../../system/backup/gzip.ts";
import { writeTar } from "../../../system/backup/tar.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { eventually } from "../../kit/eventually.ts";
import { otpOf } from "../../kit/otp.ts";
import { newKey, signedArchive } from "../../kit/plugins/signed_archive.ts";

const SAMPLE = new URL("../../kit/plugins/sample/", import.meta.url);
const FILES = ["plugin.json", "main.ts", "page.html"] as const;

/** The sample as an archive, with these members of its manifest. */
async function archive(members: object = {}): Promise<Uint8Array<ArrayBuffer>> {
  const files = await Promise.all(FILES.map(async (path) => {
    const text = await Deno.readTextFile(new URL(path, SAMPLE));
    const content = path === "plugin.json"
      ? JSON.stringify({ ...JSON.parse(text), ...members })
      : text;
    return { path, bytes: new TextEncoder().encode(content) };
  }));
  return await gzip(writeTar(files, 0));
}

Deno.test("plugins show their rights, are added after a review, updated and removed", async () => {
  await onRouter({}, async ({ open, router }) => {
    const headers = await otpOf(router);
    const page = await open({ path: "/admin/plugins", signIn: true });
    await page.getByText("No plugins").waitFor();
    await page.evaluate(
      (jwt: string) => sessionStorage.setItem("sluice.otp", jwt),
      headers["x-jwt-otp"]!,
    );
    const review = async (button: string, members: object): Promise<void> => {
      if (button === "Update") {
        await page.getByRole("button", { name: "More for sample" }).click();
        await page.getByRole("menuitem", { name: "Update" }).click();
      } else await page.getByRole("button", { name: button }).first().click();
      await page.getByLabel("Plugin archive").setInputFiles({
        name: "sample.tar.gz",
        mimeType: "application/gzip",
        buffer: (await import("node:buffer")).Buffer.from(await archive(members)),
      });
      await page.getByRole("button", { name: "Review" }).click();
    };
    const everything = { net: true, read: true, write: true, run: true, ffi: true };
    await review("Add plugin", { Permissions: everything });
    await page.getByText("This plugin asks for dangerous rights.").waitFor();
    await page.getByText("Start any program").waitFor();
    await assertAccessible(page);
    await picture(page, "plugins-review");
    await page.getByRole("button", { name: "Cancel" }).click();
    await review("Add plugin", {});
    await page.getByText("Read /devices of the API").waitFor();
    await page.getByRole("button", { name: "Install…" }).click();
    await page.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByRole("switch", { name: "sample is on" }).waitFor();
    await review("Update", { Version: "2.0.0", Permissions: { net: ["api.example.org:443"] } });
    await page.getByText("New rights").waitFor();
    await page.getByText("Connect to api.example.org:443").first().waitFor();
    await picture(page, "plugins-update");
    await page.getByRole("button", { name: "Cancel" }).click();
    for (const { size, dark } of LOOKS) {
      const look = await open({ path: "/admin/plugins", size, dark, signIn: true });
      await look.getByRole("switch", { name: "sample is on" }).waitFor();
      await look.getByText("wireguard").first().waitFor();
      await assertAccessible(look);
      await assertNoSidewaysScroll(look);
      await picture(
        look,
        `plugins-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await look.close();
    }
    await page.getByRole("button", { name: "More for sample" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove plugin" }).click();
    await page.getByText("No plugins").waitFor();
    assert.equal((await router.ask("GET", "/plugins/sample/")).status, 404);
  });
});

Deno.test("an older version of a signed plugin is installed only where the admin accepts it", async () => {
  await onRouter({}, async ({ open, router }) => {
    const headers = await otpOf(router), key = await newKey();
    const body = { Archive: await signedArchive("2.0.0", key) };
    const { hash } = await router.json<{ hash: string }>("PUT", "/plugin/review", {
      body,
      headers,
    });
    await router.json("PUT", "/plugin/install", { body: { hash }, headers });
    const page = await open({ path: "/admin/plugins", signIn: true });
    await page.evaluate(
      (jwt: string) => sessionStorage.setItem("sluice.otp", jwt),
      headers["x-jwt-otp"]!,
    );
    await page.getByRole("button", { name: "More for sample" }).click();
    await page.getByRole("menuitem", { name: "Update" }).click();
    await page.getByLabel("Plugin archive").setInputFiles({
      name: "sample.tar.gz",
      mimeType: "application/gzip",
      buffer: (await import("node:buffer")).Buffer.from(
        await signedArchive("1.0.0", key),
        "base64",
      ),
    });
    await page.getByRole("button", { name: "Review" }).click();
    await page.getByText("Downgrade from 2.0.0").waitFor();
    await page.getByText("This version is older than the installed one.").waitFor();
    const downgrade = page.getByRole("button", { name: "Install older version…" });
    assert.equal(await downgrade.isDisabled(), true);
    await assertAccessible(page);
    await page.getByLabel("Install the older version").check();
    await downgrade.click();
    await page.getByRole("button", { name: "Update", exact: true }).click();
    await page.getByRole("switch", { name: "sample is on" }).waitFor();
    await eventually("it is installed", async () => {
      const list = await router.json<{ Name: string; version: string }[]>("GET", "/plugins");
      assert.equal(list.find(({ Name }) => Name === "sample")?.version, "1.0.0");
    });
  });
});

Deno.test("the page of a plugin runs in a sandboxed frame with a token for its own path alone", async () => {
  await onRouter({}, async ({ open, router }) => {
    const folder = `${router.home}/state/plugins/sample`;
    await Deno.mkdir(folder, { recursive: true });
    const html = await Deno.readTextFile(new URL("page.html", SAMPLE));
    let reached = "";
    await using _server = Deno.serve({ path: `${folder}/socket`, onListen() {} }, (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/count") {
        reached = request.headers.get("sluice-caller") ?? "";
        return Response.json({ count: 7 });
      }
      const spy = `<script>
        const tries = [];
        try { tries.push("cookie" + document.cookie); } catch { tries.push("refused"); }
        try { tries.push(localStorage.length); } catch { tries.push("refused"); }
        try { tries.push(parent.document.title); } catch { tries.push("refused"); }
        document.title = tries.join();
      </script>`;
      return new Response(html + spy, { headers: { "content-type": "text/html" } });
    });
    const body = {
      ...{ Name: "sample", URI: "sample", Enabled: true, HasUI: true },
      UnixPath: "/state/plugins/sample/socket",
    };
    await router.json("PUT", "/plugins_api/sample", { body });
    const page = await open({ path: "/admin/plugins/sample", signIn: true });
    const frame = page.frameLocator("iframe");
    await frame.getByText("Opened 7 times").waitFor();
    assert.equal(decodeURIComponent(reached), "token:plugin-ui:sample");
    const inside = page.frames().find((one) => one.url().includes("/plugins/sample/"))!;
    assert.equal(await inside.title(), "refused,refused,refused");
    await assertAccessible(page);
    await picture(page, "plugins-frame");
    await router.json("PUT", "/plugins_api/sample", { body: { ...body, Enabled: false } });
    await page.getByText("There is no such page.").waitFor();
  });
});

/** The page of an existing plugin: how it reads what the router gives it, and asks for a new token. */
const EXISTING_PAGE =
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Existing</title>
<script>window.early = window.SPR_API_TOKEN;</script>
<script defer src="./static/js/main.js"></script>
<script type="module" src="/admin/custom_plugin/old/one/static/js/module.js"></script>
</head><body><p id="text"></p><p id="module"></p><button>Again</button></body></html>`;
const EXISTING_SCRIPT = `
let waiting = null;
addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  const message = JSON.parse(data);
  if (message.type === "spr:theme") document.body.dataset.mode = message.colorMode;
  if (message.type !== "spr:auth" || message.protocolVersion !== 1) return;
  window.SPR_API_TOKEN = message.token;
  if (waiting?.requestId === message.requestId) waiting.resolve();
});
parent.postMessage(JSON.stringify({ type: "spr:ready" }), "*");
async function get(path, again = true) {
  const response = await fetch(SPR_API_URL + "plugins/" + SPR_PLUGIN.URI + path, {
    headers: {
      "X-Requested-With": "react",
      "Content-Type": "application/json",
      Authorization: "Bearer " + SPR_API_TOKEN,
    },
  });
  if (response.ok || !again) return await response.text();
  if (response.headers.get("X-SPR-Auth-Error") !== "invalid_token") return "no reason";
  await new Promise((resolve) => {
    waiting = { requestId: crypto.randomUUID?.() ?? String(Math.random()), resolve };
    const { requestId } = waiting;
    parent.postMessage(
      JSON.stringify({ type: "spr:auth-required", protocolVersion: 1, requestId }),
      "*",
    );
  });
  return await get(path, false);
}
const show = async () => {
  document.getElementById("text").textContent = SPR_PLUGIN.Name + " " + await get("/count") + " " +
    (window.early === SPR_API_TOKEN ? "first token" : "new token");
};
document.querySelector("button").addEventListener("click", show);
show();
`;

Deno.test("the page of an existing plugin runs unchanged, and renews its token", async () => {
  await onRouter({}, async ({ open, router, later }) => {
    const folder = `${router.home}/state/plugins/existing`;
    await Deno.mkdir(folder, { recursive: true });
    const texts: Readonly<Record<string, readonly [type: string, text: string]>> = {
      "/": ["text/html; charset=utf-8", EXISTING_PAGE],
      "/static/js/main.js": ["text/javascript", EXISTING_SCRIPT],
      "/static/js/module.js": [
        "text/javascript",
        'document.getElementById("module").textContent = "module";',
      ],
      "/count": ["text/plain", "counted"],
    };
    await using _server = Deno.serve({ path: `${folder}/socket`, onListen() {} }, (request) => {
      const found = texts[new URL(request.url).pathname];
      return found === undefined
        ? new Response("", { status: 404 })
        : new Response(found[1], { headers: { "content-type": found[0] } });
    });
    const body = {
      ...{ Name: "existing", URI: "old/one", Enabled: true, HasUI: true },
      UnixPath: "/state/plugins/existing/socket",
    };
    await router.json("PUT", "/plugins_api/existing", { body });
    const page = await open({ path: "/admin/plugins/existing", dark: true });
    const frame = page.frameLocator("iframe");
    await frame.getByText("existing counted first token").waitFor();
    await frame.getByText("module", { exact: true }).waitFor();
    await frame.locator('body[data-mode="dark"]').waitFor();
    later(600_001);
    await frame.getByRole("button").click();
    await frame.getByText("existing counted new token").waitFor();
  });
});
