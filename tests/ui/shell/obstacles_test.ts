import assert from "node:assert/strict";
import { conflictOf, conflictsOf } from "../../../ui/actions/conflict.ts";
import { ApiProblem } from "../../../ui/api/problem.ts";
import type { Preview, Refusal } from "../../../ui/wire.ts";
import { assertAccessible, type Viewer } from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";
import { reviewEdits } from "../../kit/browser/staged_edits.ts";

type Page = Awaited<ReturnType<Viewer["open"]>>;

const preview = (...refusals: Refusal[]): Preview => ({
  config: [],
  effects: [],
  system: [],
  reach: { allowed: [], denied: [], more: 0, own: null },
  refusals,
  addresses: [],
  firstApply: null,
});

Deno.test("a preview's refusal has the same text as its 409", () => {
  const refusals: readonly Refusal[] = [
    {
      kind: "lockout",
      detail:
        "This would lock you out: your own connection from 192.168.2.6 would be refused (x). Confirm it within a window, or force it",
      members: {
        refusal: "lockout",
        rule: { text: "The device may not open this page" },
        source: "192.168.2.6",
      },
    },
    {
      kind: "path",
      detail:
        "This changes the address 203.0.113.2, which you are using yourself. Confirm it within a window, or force it",
      members: { refusal: "path", uses: "the address 203.0.113.2" },
    },
    {
      kind: "guard",
      detail:
        'This would break the test "web": tablet must reach the Internet, but nothing lets it, and 1 other test as well. Confirm it within a window, or force it',
      members: {
        refusal: "guard",
        test: "web",
        rule: null,
        tests: [{ name: "web", text: "tablet must reach the Internet, but nothing lets it" }, {
          name: "mail",
          text: "tablet must reach mail",
        }],
      },
    },
    {
      kind: "window",
      detail: "The change c1 waits to be confirmed; confirm or undo it first",
      members: { refusal: "window", change: "c1" },
    },
  ];
  const conflicts = conflictsOf(preview(...refusals));
  const met = refusals.map(({ detail, members }) =>
    conflictOf(new ApiProblem(409, detail, members))
  );
  assert.deepEqual(met, conflicts);
  assert.deepEqual(conflicts.map(({ title }) => title), [
    "This would lock you out.",
    "This changes the path that you are connected through.",
    "This would fail the test “web”.",
    "Another change awaits confirmation.",
  ]);
  assert.equal(conflicts[1]?.text.endsWith("which you are using yourself"), true);
  assert.equal(conflicts[2]?.text, "tablet must reach the Internet, but nothing lets it");
  assert.deepEqual(conflicts[2]?.details, ["Also fails “mail”: tablet must reach mail"]);
});

Deno.test("a refusal that no confirm window passes is no obstacle, and unknown members are ignored", () => {
  assert.equal(conflictOf(new ApiProblem(409, "A group with this name")), null);
  const later = "Deleted tv changed the same value later; undo that first";
  assert.equal(conflictOf(new ApiProblem(409, later, { change: "c1" })), null);
  assert.equal(conflictOf(new ApiProblem(400, "x", { rule: null })), null);
  const odd = conflictOf(
    new ApiProblem(409, "x", { refusal: "guard", test: "t", tests: [null, 1, { name: 2 }] }),
  );
  assert.deepEqual(odd?.details, []);
  const twice = "TCP port 443 leads to 192.168.2.9 already (Web)";
  assert.equal(conflictOf(new ApiProblem(409, twice, { rule: { text: "Web" } })), null);
  const locked = conflictOf(new ApiProblem(409, "x", { refusal: "lockout", rule: 7 }));
  assert.equal(locked?.text, "No rule would allow access to this page");
  const guard = { kind: "guard", detail: "The last admin would go", members: {} } as const;
  assert.equal(conflictsOf(preview(guard))[0]?.text, "The last admin would go");
});

/** Lets the browser be the device of this name, which may administer the router. */
async function sitAt({ router, sitAt }: RealStage, name: string): Promise<string> {
  const [identity, device] = Object.entries(router.engine.config.devices)
    .find(([, { Name }]) => Name === name) ?? [];
  assert.ok(identity !== undefined && device !== undefined);
  const answer = await router.ask("PUT", `/device?identity=${identity}`, {
    body: { Policies: ["wan", "dns"] },
  });
  assert.equal(answer.status, 200, await answer.text());
  const last = Number(device.RecentIP.split(".").at(-1));
  const gateway = device.RecentIP.replace(/\d+$/, String(last - 1));
  sitAt({ source: device.RecentIP, local: { address: gateway, port: 80 } });
  return identity;
}

async function choose(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names) await page.getByLabel(`Select ${name}`).check();
}

Deno.test("a change that locks the caller out can leave out the caller's own device", async () => {
  await onRouter({ files: manyDevices(6) }, async (stage) => {
    const page = await stage.open();
    await page.getByRole("link", { name: "Device 0001" }).waitFor();
    const own = await sitAt(stage, "Device 0001");
    await choose(page, "Device 0001", "Device 0002", "Device 0003");
    await page.getByRole("button", { name: "Block", exact: true }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("This would lock you out.").waitFor();
    await assertAccessible(page);
    await drawer.getByRole("button", { name: "Exclude my device" }).click();
    await drawer.getByText("Device 0002, Device 0003.").waitFor();
    await drawer.getByRole("button", { name: "Block 2 devices" }).click();
    await drawer.waitFor({ state: "detached" });
    const blocked = Object.values(stage.router.engine.config.devices)
      .filter(({ DeviceDisabled }) => DeviceDisabled).map(({ Name }) => Name).sort();
    assert.deepEqual(blocked, ["Device 0002", "Device 0003"]);
    assert.equal(stage.router.engine.config.devices[own]?.DeviceDisabled, false);
  });
});

Deno.test("a change that breaks access tests names them, and can be applied anyway", async () => {
  await onRouter({ files: manyDevices(3) }, async ({ open, router }) => {
    const test = { From: mac(0), To: "internet", Protocol: "tcp", Expect: "accept" };
    const given = await router.ask("PUT", `/device?identity=${mac(0)}`, {
      body: { Policies: ["wan", "dns", "noapi"], Groups: [], DeviceDisabled: false },
    });
    assert.equal(given.status, 200, await given.text());
    for (const [Name, Port] of [["web", "443"], ["mail", "25"]]) {
      const kept = await router.ask("PUT", "/reach/tests", { body: { ...test, Name, Port } });
      assert.equal(kept.status, 200, await kept.text());
    }
    const page = await open({ path: `/admin/devices/${encodeURIComponent(mac(0))}` });
    await page.getByRole("switch", { name: "Internet", exact: true }).click();
    await reviewEdits(page);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("This would fail the test “web”.").waitFor();
    await drawer.getByText("Also fails “mail”:").waitFor();
    await assertAccessible(page);
    await drawer.getByRole("button", { name: "Apply anyway" }).click();
    await drawer.waitFor({ state: "detached" });
    assert.ok(!router.engine.config.devices[mac(0)]?.Policies.includes("wan"));
  });
});

Deno.test("a change that waits for a confirm window continues once that is confirmed", async () => {
  await onRouter({ files: manyDevices(3) }, async ({ open, router }) => {
    const page = await open({ path: `/admin/devices/${encodeURIComponent(mac(0))}` });
    const box = page.getByRole("switch", { name: "Quarantine", exact: true });
    await box.waitFor();
    const tried = await router.ask("PUT", "/groups", {
      body: { Name: "workshop" },
      headers: { "confirm-within": "120" },
    });
    assert.equal(tried.status, 200, await tried.text());
    await page.getByRole("region", { name: "Change to confirm" }).waitFor();
    await box.click();
    await reviewEdits(page);
    const drawer = page.getByRole("dialog");
    await drawer.getByText("Another change awaits confirmation.").waitFor();
    await drawer.getByRole("button", { name: "Confirm it" }).click();
    await drawer.getByText("Another change awaits confirmation.").waitFor({ state: "detached" });
    await drawer.getByRole("button", { name: "Turn on Quarantine" }).click();
    await drawer.waitFor({ state: "detached" });
    assert.ok(router.engine.config.devices[mac(0)]?.Policies.includes("quarantine"));
    assert.ok(router.engine.config.groups.some(({ Name }) => Name === "workshop"));
  });
});

Deno.test("a write that takes longer than two seconds shows that the router is at work", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/groups" });
    const answered = Promise.withResolvers<void>();
    await page.route(({ pathname }) => pathname === "/groups", async (route) => {
      if (route.request().method() === "PUT") await answered.promise;
      await route.continue();
    });
    await page.getByLabel("Name", { exact: true }).fill("office");
    await page.getByRole("button", { name: "Create group" }).click();
    const waiting = page.getByText("The router is working on it…");
    await waiting.waitFor();
    assert.equal(
      await waiting.evaluate((text) => text.parentElement?.matches(":popover-open")),
      true,
      "it is above whatever else is open",
    );
    await assertAccessible(page);
    answered.resolve();
    await page.getByText("was created.").waitFor();
    await waiting.waitFor({ state: "detached" });

    // A screen reader finds nothing outside of a modal dialog: it is said inside.
    const applied = Promise.withResolvers<void>();
    await page.route(
      ({ pathname, search }) => pathname === "/groups" && search === "",
      async (route) => {
        if (route.request().method() === "PUT") await applied.promise;
        await route.continue();
      },
    );
    await page.getByRole("switch", { name: "office is on" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Disable", exact: true }).click();
    await drawer.getByRole("status").getByText("The router is working on it…").waitFor();
    assert.equal(await waiting.count(), 1);
    await assertAccessible(page);
    applied.resolve();
    await page.getByText("was disabled.").waitFor();
  });
});
