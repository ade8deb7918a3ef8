import assert from "node:assert/strict";
import type { Page } from "playwright";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  LOOKS,
  PHONE,
  picture,
  signIn,
} from "../kit/browser/browser.ts";
import { editsApplied, reviewEdits } from "../kit/browser/staged_edits.ts";
import { DEMO, demoId, fillHome } from "../kit/builders/demo_home.ts";
import { onRouter, type RealStage } from "../kit/browser/real_stage.ts";
import { PASSWORD, type TestRouter } from "../kit/router.ts";

const LAPTOP = demoId(0);
const TABLET = demoId(1);
const deviceAt = (identity: string) => `/admin/devices/${encodeURIComponent(identity)}`;
const toggle = (page: Page, name: string) => page.getByRole("switch", { name, exact: true });
const stands = async (page: Page, name: string, on: boolean) => {
  await editsApplied(page);
  await page.locator(`[role="switch"][aria-label="${name}"][aria-checked="${on}"]`).waitFor();
};

async function atHome(test: (stage: RealStage) => Promise<void>): Promise<void> {
  await onRouter({ ...DEMO, host: DEMO.host() }, async (stage) => {
    await fillHome(stage.router, (milliseconds) => stage.later(milliseconds));
    await test(stage);
  });
}

async function join(router: TestRouter, MAC: string, Name: string): Promise<void> {
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC, Iface: "lan1", Name });
  assert.equal(answer.status, 200, await answer.text());
}

function policiesOf(router: TestRouter, identity: string): readonly string[] {
  return router.engine.config.devices[identity]?.Policies ?? [];
}

Deno.test("the real router refuses a wrong password, and devices appear as they join", async () => {
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ signIn: false });
    await signIn(page, "guess");
    await page.getByText("Wrong user name or password").waitFor();
    await signIn(page, PASSWORD);
    await page.getByRole("heading", { name: "No devices yet" }).waitFor();
    await page.getByText("Demo mode").waitFor();
    await assertAccessible(page);
    await page.getByText("Live").waitFor();
    await join(router, "02:00:00:00:00:01", "first-one");
    await page.getByRole("link", { name: "first-one" }).waitFor();
  });
});

Deno.test("a switch previews, applies and undoes on the real router, and the history shows both", async () => {
  await atHome(async (stage) => {
    const { open, router } = stage;
    const page = await open({ path: deviceAt(TABLET) });
    await toggle(page, "Internet").click();
    await reviewEdits(page);
    const drawer = page.getByRole("dialog", { name: "Preview: Internet off" });
    await drawer.getByText("Kids’ tablet to Internet").waitFor();
    await assertAccessible(page);
    await picture(page, "real-preview");
    assert.ok(policiesOf(router, TABLET).includes("wan"), "nothing moved yet");
    await drawer.getByRole("button", { name: "Turn off Internet" }).click();
    await stands(page, "Internet", false);
    assert.equal(policiesOf(router, TABLET).includes("wan"), false);
    await page.getByRole("button", { name: "Undo" }).click();
    await stands(page, "Internet", true);
    assert.ok(policiesOf(router, TABLET).includes("wan"));
    await page.getByRole("link", { name: "Change history" }).first().click();
    await page.getByText("reverted").first().waitFor();
    await page.locator("a[data-row]").nth(1).click();
    await page.getByText('"Policies":').first().waitFor();
    await page.getByRole("button", { name: "Reverted" }).waitFor();
    await assertAccessible(page);
    await picture(page, "real-changes");
  });
});

Deno.test("groups, tags, names, blocking and deleting are stored by the real router", async () => {
  await atHome(async ({ open, router }) => {
    const device = () => router.engine.config.devices[TABLET];
    const page = await open({ path: deviceAt(TABLET) });
    await page.getByLabel("Add to a group").fill("Media");
    await page.getByLabel("Add to a group").press("Enter");
    await reviewEdits(page);
    await page.getByText("Kids’ tablet with Living room TV").waitFor();
    await page.getByRole("button", { name: "Add to media" }).click();
    await page.getByRole("button", { name: "Leave group media" }).waitFor();
    assert.deepEqual(device()?.Groups.toSorted(), ["kids", "media"]);
    await page.getByRole("button", { name: "Remove tag school" }).click();
    await page.getByText("no longer has the tag school").waitFor();
    assert.deepEqual(device()?.DeviceTags, []);
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Reading tablet");
    await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "Reading tablet", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Block", exact: true }).click();
    await page.getByRole("button", { name: "Block device" }).click();
    await page.getByRole("button", { name: "Unblock", exact: true }).click();
    await page.getByRole("button", { name: "Unblock device" }).click();
    await page.getByRole("button", { name: "Block", exact: true }).waitFor();
    assert.equal(device()?.DeviceDisabled, false);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete device" }).click();
    await page.getByRole("heading", { name: "Devices", level: 1 }).waitFor();
    assert.equal(device(), undefined);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Reading tablet" }).waitFor();
    await page.getByRole("link", { name: "Groups" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("wan");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByText("This is the name of a policy").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("workshop");
    await page.getByRole("button", { name: "Create group" }).click();
    await toggle(page, "workshop is on").waitFor();
    await toggle(page, "cameras is on").click();
    await page.getByText("Garden camera with Doorbell").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.locator('[role="switch"][aria-label="cameras is on"][aria-checked="false"]')
      .waitFor();
  });
});

Deno.test("a lock-out is refused with its rule, survives a reload in a confirm window, and is reverted or confirmed", async () => {
  await atHome(async ({ open, router, sitAt }) => {
    const laptop = router.engine.config.devices[LAPTOP]!;
    const last = Number(laptop.RecentIP.split(".").at(-1));
    const gateway = laptop.RecentIP.replace(/\d+$/, String(last - 1));
    const page = await open({ path: deviceAt(LAPTOP) });
    sitAt({ source: laptop.RecentIP, local: { address: gateway, port: 80 } });
    for (const end of ["Revert now", "Keep changes"]) {
      await toggle(page, "Admin access").click();
      await reviewEdits(page);
      const drawer = page.getByRole("dialog");
      await drawer.getByText("This would lock you out.").waitFor();
      await drawer.getByText("You would lose admin access").waitFor();
      await assertAccessible(page);
      await picture(page, "real-lock-out");
      await drawer.getByRole("button", { name: "Apply for 90 s" }).click();
      const banner = page.getByRole("region", { name: "Change to confirm" });
      await banner.waitFor();
      await page.reload();
      await banner.getByRole("timer").getByText(/^1 min( [12]?\d s)?$|^1 min 30 s$/).waitFor();
      await assertAccessible(page);
      await picture(page, "real-trial");
      await toggle(page, "Internet").click();
      await reviewEdits(page);
      await drawer.getByText("Another change awaits confirmation.").waitFor();
      assert.ok(await drawer.getByRole("button", { name: "Turn off Internet" }).isDisabled());
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Discard" }).click();
      await banner.getByRole("button", { name: end }).click();
      await banner.waitFor({ state: "detached" });
      await stands(page, "Admin access", end === "Revert now");
    }
    assert.ok(policiesOf(router, LAPTOP).includes("noapi"));
    assert.equal(router.engine.window.current(), null);
  });
});

Deno.test("the later of two admins gets a new preview", async () => {
  await atHome(async ({ open, router }) => {
    const page = await open({ path: deviceAt(TABLET) });
    await toggle(page, "Internet").click();
    await reviewEdits(page);
    await page.getByText("Who loses access").waitFor();
    const other = await open({ path: deviceAt(TABLET) });
    await toggle(other, "DNS").click();
    await reviewEdits(other);
    await other.getByRole("button", { name: "Turn off DNS" }).click();
    await stands(other, "DNS", false);
    await page.getByRole("button", { name: "Turn off Internet" }).click();
    await page.getByText("Changed by someone else.").waitFor();
    await page.getByRole("button", { name: "Turn off Internet" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.deepEqual(policiesOf(router, TABLET).toSorted(), ["dns:family", "noapi"]);
    await stands(other, "Internet", false);
  });
});

Deno.test("hostile names are text on every page", async () => {
  const NAMES = [
    "<img src=x onerror=pwned=1>",
    "</title><script>pwned=1</script>",
    "evil\u202Etxt.exe",
    "A".repeat(250),
    "🦊 ﷽ Z̵̧̛a̴l̷g̶o",
    "{{7*7}} ${7*7} %s",
  ];
  const LABEL = '"><svg onload=pwned=1>';
  await onRouter({}, async ({ open, router }) => {
    const page = await open();
    page.on("dialog", () => assert.fail("a dialog opened"));
    for (const [position, Name] of NAMES.entries()) {
      const identity = `02:00:00:00:01:0${position}`;
      await join(router, identity, Name.slice(0, 60));
      await router.ask("PUT", `/device?identity=${identity}`, {
        body: { Name, Groups: [LABEL], DeviceTags: [LABEL], Policies: ["wan"] },
      });
    }
    const identity = "02:00:00:00:01:00";
    await page.getByRole("link", { name: NAMES[0]! }).waitFor();
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size);
      for (
        const path of ["/admin/devices", deviceAt(identity), "/admin/groups", "/admin/changes"]
      ) {
        await page.goto(new URL(path, page.url()).href);
        await page.locator("bdi:visible", { hasText: /onerror|onload/ }).first().waitFor();
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `real-hostile-${path.split("/")[2]}-${size.width}`);
      }
    }
    await page.locator("a[data-row]").first().click();
    await page.getByRole("region", { name: "Selected change" }).waitFor();
    await assertNoSidewaysScroll(page);
    const turned = async () => await page.getByText("\u202e").allInnerTexts();
    assert.deepEqual(await turned(), [], "nothing turns the history around");
    await page.goto(new URL(deviceAt("02:00:00:00:01:01"), page.url()).href);
    await page.getByRole("heading", { name: NAMES[1]!, level: 1 }).waitFor();
    await toggle(page, "Internet").click();
    await reviewEdits(page);
    await page.getByRole("button", { name: "Turn off Internet" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.deepEqual(await turned(), [], "no name turns its neighbours around");
    assert.equal(await page.evaluate(() => "pwned" in globalThis), false);
  });
});

Deno.test("a restart on the same port is shown, and the page is live again without loss", async () => {
  await atHome(async (stage) => {
    const page = await stage.open();
    await page.getByText("Live").waitFor();
    await stage.restart(async () => {
      await page.getByText("Reconnecting").first().waitFor();
    });
    await page.getByText("Live").waitFor();
    const path = `/device?identity=${TABLET}`;
    const named = await stage.router.ask("PUT", path, { body: { Name: "After it" } });
    assert.equal(named.status, 200, await named.text());
    await page.getByRole("link", { name: "After it" }).waitFor();
  });
});

Deno.test("a page whose script fails to load is retried until it loads", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    let answers = false;
    await page.route("**/assets/*.js", (route) => answers ? route.continue() : route.abort());
    await page.getByRole("link", { name: "Groups" }).click();
    await page.getByText("The page did not load.").waitFor();
    answers = true;
    await page.getByRole("heading", { name: "Groups", level: 1 }).waitFor();
  });
});

Deno.test("every page with a real router is accessible, on a phone and in the dark theme too", async () => {
  await atHome(async ({ open }) => {
    for (const { size, dark } of LOOKS) {
      const page = await open({ size, dark });
      const look = async (name: string): Promise<void> => {
        await assertNoSidewaysScroll(page);
        await assertAccessible(page);
        await picture(page, `real-${name}-${size.width}-${dark ? "dark" : "light"}`);
      };
      await page.getByRole("link", { name: "Kids’ tablet" }).waitFor();
      await look("devices");
      await page.getByRole("link", { name: "Kids’ tablet" }).click();
      await toggle(page, "Internet").waitFor();
      await look("device");
      for (const name of ["groups", "changes", "access"]) {
        await page.goto(new URL(`/admin/${name}`, page.url()).href);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await page.locator('[aria-busy="true"]').waitFor({ state: "detached" });
        await look(name);
      }
    }
  });
});

Deno.test("a released kernel is shown, and the configuration applied again from the page", async () => {
  await atHome(async ({ open, router }) => {
    const page = await open();
    await page.getByText("Live").waitFor();
    const released = await router.inside("console", "PUT", "/network/release");
    assert.equal(released.status, 200, await released.text());
    const banner = page.getByRole("region", { name: "Network status" });
    await banner.getByText("an administrator removed").first().waitFor();
    await assertAccessible(page);
    await picture(page, "real-released");
    await banner.getByRole("button", { name: "Apply again" }).click();
    await page.getByText("The configuration is applied.").waitFor();
    await banner.getByText("nothing is applied on this machine").waitFor();
    assert.equal(router.engine.network.state, "model");
  });
});
