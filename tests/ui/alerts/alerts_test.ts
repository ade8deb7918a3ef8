import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";
import { eventually } from "../../kit/eventually.ts";

const CARD = "02:00:00:00:0a:01";

function fail({ router }: RealStage, name = "admin"): void {
  router.bus.publish("auth:failure", {
    ...{ type: "user", name, reason: "bad password", ip: "", addr: "" },
  });
}

async function join({ router }: RealStage): Promise<void> {
  const lease = await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: CARD, Iface: "lan0" });
  assert.equal(lease.status, 200, await lease.text());
}

Deno.test("the bell counts, and the inbox decides about a new device and resolves the rest", async () => {
  await onRouter({}, async (stage) => {
    await join(stage);
    await stage.router.notices.open("test-problem", "Something is wrong");
    const page = await stage.open({ path: "/admin/devices" });
    await page.getByRole("link", { name: "Alerts, 2 open" }).click();
    await page.getByRole("heading", { name: "Alerts" }).waitFor();
    await page.getByText(/is new on lan0/).waitFor();
    await page.getByRole("button", { name: /^Approve/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText(/is new on lan0/).waitFor({ state: "detached" });
    const device = await stage.router.json<{ Policies: string[] }>("GET", `/devices`);
    assert.deepEqual(
      (device as unknown as Record<string, { Policies: string[] }>)[CARD]!.Policies,
      ["wan", "dns", "noapi"],
    );
    await page.getByRole("button", { name: /^Snooze/ }).click();
    await page.getByText("Nothing needs your attention.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: /^Dismiss :/ }).click();
    await page.getByText("Nothing needs your attention.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: /^Dismiss :/ }).click();
    await page.getByText("Nothing needs your attention.").waitFor();
    await page.getByRole("button", { name: "Show resolved" }).click();
    await page.getByText("Something is wrong").waitFor();
  });
});

Deno.test("a rule is made with what it would have found, and its alert is listed", async () => {
  await onRouter({ files: { "base/alerts.json": [] } }, async (stage) => {
    fail(stage);
    fail(stage, "other");
    const page = await stage.open({ path: "/admin/alerts" });
    await page.getByRole("tab", { name: "Rules" }).click();
    await page.getByRole("button", { name: "Add rule" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.getByText("Enter a name", { exact: true }).waitFor();
    await drawer.getByLabel("Name").fill("Failures of admin");
    await drawer.getByLabel("Topic begins with").fill("auth:failure");
    await drawer.getByText("2 alerts of 2 events").waitFor();
    await drawer.getByLabel("Conditions").fill('$[?(@.name=="admin")]');
    await drawer.getByLabel("Title").fill("Failed: {{name}}");
    await drawer.getByText("1 alert of 2 events").waitFor();
    await drawer.getByText("Failed: admin").waitFor();
    await drawer.getByLabel("Conditions").fill("$[?(");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.getByText("The rule was not saved.").or(drawer.locator(".problem")).first()
      .waitFor();
    await drawer.getByLabel("Conditions").fill('$[?(@.name=="admin")]');
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.waitFor({ state: "detached" });
    await page.getByText("Failures of admin").first().waitFor();
    fail(stage);
    await page.getByRole("tab", { name: "Inbox" }).click();
    await page.getByText("Failed: admin", { exact: true }).waitFor();
  });
});

Deno.test("events are live, filtered, stored, and shown as JSON with what they are about", async () => {
  await onRouter({}, async (stage) => {
    await join(stage);
    const page = await stage.open({ path: "/admin/events?topic=leases" });
    await page.getByText(/identity 02:00:00:00:0a:01/).waitFor();
    await page.getByLabel("Topic").selectOption("");
    // Other events may come meanwhile, and this one before the page listens to all topics.
    const shown = page.getByText(/onerror/).first();
    await eventually("the event is shown", async () => {
      fail(stage, "<img src=x onerror=alert(1)>");
      assert.ok(await shown.isVisible());
    });
    await shown.click();
    await page.getByRole("dialog").getByText(/bad password/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("Search events").fill("nothing like it");
    await page.getByText("No matches").waitFor();
    await page.getByLabel("Search events").fill("");
    await page.getByRole("switch", { name: "Log blocked packets" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
    await page.getByRole("switch", { name: "Log blocked packets", checked: true }).waitFor();
    assert.deepEqual(await stage.router.json("GET", "/firewall/packet_log"), { Log: "drops" });
    stage.router.bus.publish("nft:drop:forward", {
      ...{ Prefix: "drop:forward", Action: "blocked", Timestamp: new Date(0).toISOString() },
      ...{ InDev: "lan0", OutDev: "wan0", Rule: "Blocked: by a test", From: "Phone", To: "a NAS" },
      Identity: CARD,
    });
    await page.getByText("Blocked: by a test · Phone → a NAS").click();
    await page.getByRole("dialog").getByRole("link", { name: "Device" }).waitFor();
  });
});

Deno.test("a device's page has its activity", async () => {
  await onRouter({}, async (stage) => {
    await join(stage);
    const page = await stage.open({
      path: `/admin/devices/${encodeURIComponent(CARD)}?tab=activity`,
    });
    await page.getByText(/First seen on lan0, got 192\.168\./).waitFor();
  });
});

Deno.test("alerts, rules, events and activity are accessible in every look", async () => {
  await onRouter({}, async (stage) => {
    await join(stage);
    await stage.router.notices.open("test-problem", "Something is wrong with the network");
    fail(stage);
    for (const look of LOOKS) {
      const name = `${look.size === PHONE ? "phone" : "desk"}-${look.dark ? "dark" : "light"}`;
      const page = await stage.open({ path: "/admin/alerts", ...look });
      await page.getByText(/is new on lan0/).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `alerts-inbox-${name}`);
      await page.getByRole("tab", { name: "Rules" }).click();
      await page.getByText("Wifi Auth Failure").first().waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `alerts-rules-${name}`);
      await page.getByRole("button", { name: "Edit User Login Failure" }).click();
      await page.getByRole("dialog").getByText(/alert of \d+ event/).waitFor();
      await assertAccessible(page);
      await picture(page, `alerts-rule-${name}`);
      await page.keyboard.press("Escape");
      await page.goto(new URL("/admin/events?topic=leases", page.url()).href);
      await page.getByText(/identity 02/).first().waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `events-${name}`);
      await page.close();
    }
  });
});
