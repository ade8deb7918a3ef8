import assert from "node:assert/strict";
import fc from "fast-check";
import { lastUndoable } from "../../../ui/shell/palette/run.ts";
import { DETAILS } from "../../../ui/pages/page_details.ts";
import { PAGES } from "../../../ui/pages/registry.ts";
import { paletteHits } from "../../../ui/shell/palette/results.ts";
import type { Change } from "../../../ui/wire.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { manyDevices } from "../../kit/builders/many_devices.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { sampleGroups, sampleHome, uiDevice } from "../../kit/builders/ui_samples.ts";

const home = sampleHome(Date.parse("2026-03-01T12:00:00Z"));
const hits = (text: string) =>
  paletteHits(text, home, sampleGroups).map(({ kind, text }) => `${kind}: ${text}`);

Deno.test("the palette lists names that begin with the search first, then groups and pages", () => {
  assert.deepEqual(hits("kids").slice(0, 1), ["Devices: Kids’ tablet"]);
  assert.ok(hits("kids").includes("Groups: kids"));
  assert.deepEqual(hits("backu"), ["Pages: Backup"]);
  assert.deepEqual(hits("nonsense"), []);
});

Deno.test("pages and settings are found by synonyms and by letters left out", () => {
  const first = (text: string) => hits(text).find((hit) => !hit.startsWith("Devices"));
  const expected: readonly (readonly [string, string])[] = [
    ["tls", "Pages: System"],
    ["https", "Pages: System"],
    ["restart", "Pages: System"],
    ["dark", "Actions: Dark theme"],
    ["sign out", "Actions: Sign out"],
    ["dhcp", "Pages: DHCP"],
    ["lease", "Pages: DHCP"],
    ["wireless", "Pages: Wi-Fi"],
    ["wireguard", "Pages: VPN"],
    ["port forward", "Pages: Firewall rules"],
    ["restore", "Pages: Backup"],
    ["qurylg", "Pages: Query log"],
    ["bckup", "Pages: Backup"],
  ];
  assert.deepEqual(expected.map(([text]) => [text, first(text)]), expected);
});

Deno.test("an empty palette shows all pages and global commands", () => {
  const all = hits("");
  for (const { path, title } of PAGES) {
    assert.equal(all.includes(`Pages: ${title}`), DETAILS[path]?.note !== undefined, title);
  }
  assert.ok(all.includes("Pages: Add a device"));
  assert.ok(all.includes("Actions: Revert the last change…"));
});

Deno.test("a palette command is found by its verb and device", () => {
  assert.ok(hits("block kids").includes("Actions: Block all devices in kids…"));
  assert.ok(hits("block every device in kids").includes("Actions: Block all devices in kids…"));
  assert.ok(hits("disable doorbell").includes("Actions: Block Doorbell…"));
  assert.ok(hits("unblock old").includes("Actions: Unblock Old tablet…"));
  assert.ok(
    hits("give printer the internet").includes("Actions: Turn on Internet for Laser printer…"),
  );
  assert.ok(hits("take internet from heat").includes("Actions: Turn off Internet for Heat pump…"));
  assert.deepEqual(hits("give heat the internet"), [], "it has that already");
  assert.deepEqual(hits("undo"), ["Actions: Revert the last change…"]);
  assert.ok(hits("who can reach server").includes("Actions: Test access to Home server…"));
  assert.ok(hits("add a dev").includes("Pages: Add a device"));
});

Deno.test("the palette offers no command without effect or target", () => {
  assert.ok(!hits("block old").some((hit) => hit.includes("Block Old tablet")));
  assert.ok(!hits("unblock doorbell").some((hit) => hit.startsWith("Actions: Unblock Doorbell")));
  assert.deepEqual(hits("block nobody at all"), []);
  const all = uiDevice({ Groups: ["kids"], DeviceDisabled: true });
  const blocked = paletteHits("block kids", { a: all }, [sampleGroups[4]!]);
  assert.ok(
    !blocked.some(({ command: act }) => act?.kind === "blockGroup"),
    "every member is blocked",
  );
});

Deno.test("the only matching device is listed with its commands", () => {
  assert.deepEqual(hits("doorbell"), [
    "Devices: Doorbell",
    "Actions: Turn on Internet for Doorbell…",
    "Actions: Block Doorbell…",
    "Actions: Test access to Doorbell…",
  ]);
});

Deno.test("any palette input is safe and gives a short list", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("block", "give", "undo", "kids", '"', "group:"),
  );
  fc.assert(fc.property(fc.array(text, { maxLength: 5 }), (list) => {
    const found = paletteHits(list.join(" "), home, sampleGroups);
    assert.ok(found.length < 60);
    const keys = found.map(({ kind, text, href }) => `${kind} ${text} ${href ?? ""}`);
    assert.equal(new Set(keys).size, keys.length, "each once");
  }));
});

Deno.test("the palette undoes the last change that is neither an undo nor reverted", () => {
  const change = (id: string, part: Partial<Change> = {}): Change => ({
    id,
    at: 0,
    by: "admin",
    from: null,
    kind: "x",
    summary: id,
    state: "written",
    undoes: null,
    undoneBy: null,
    ...part,
  });
  const list = [
    change("undo", { undoes: "b" }),
    change("failed", { state: "failed" }),
    change("b", { undoneBy: "undo" }),
    change("a", { state: "committed" }),
    change("old"),
  ];
  assert.equal(lastUndoable(list)?.id, "a");
  assert.equal(lastUndoable([]), undefined);
});

/** The script of the palette, by what it says. */
async function paletteScript(): Promise<string> {
  const folder = new URL("../../../ui/dist/assets/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".js")) continue;
    const text = await Deno.readTextFile(new URL(name, folder));
    if (text.includes("pages and actions")) return name;
  }
  throw new Error("No script has the palette");
}

Deno.test("keys typed while the palette loads are not lost", async () => {
  const script = await paletteScript();
  await onRouter({ files: manyDevices(3) }, async ({ open }) => {
    const page = await open({ path: "/admin/groups" });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**/${script}`, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(new URL("/admin/changes", page.url()).href);
    await page.getByRole("heading", { name: "Change history", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("0002");
    assert.equal(
      await page.getByRole("combobox", { name: /^Search devices/ }).count(),
      0,
      "it is not there yet",
    );
    release();
    await page.getByRole("option", { name: /^Device 0002/ }).waitFor();
    assert.equal(
      await page.getByRole("combobox", { name: /^Search devices/ }).inputValue(),
      "0002",
    );
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Device 0002", level: 1 }).waitFor();
  });
});

Deno.test("Ctrl K blocks a group by its preview, and undoes it by another", async () => {
  await onRouter({ files: manyDevices(6) }, async ({ open, router }) => {
    for (const at of [0, 1]) {
      const answer = await router.ask("PUT", `/device?identity=${mac(at)}`, {
        body: { Groups: ["workshop"], Policies: ["wan", "dns", "noapi"] },
      });
      assert.equal(answer.status, 200, await answer.text());
    }
    const page = await open({ path: "/admin/changes" });
    await page.getByText("Live").waitFor();
    const blocked = () =>
      Object.entries(router.engine.config.devices)
        .filter(([, { DeviceDisabled }]) => DeviceDisabled).map(([identity]) => identity).sort();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search devices/ }).waitFor();
    await page.keyboard.type("block every device in workshop");
    await page.getByRole("option", { name: "Block all devices in workshop… 2 devices" }).waitFor();
    await assertAccessible(page);
    await picture(page, "palette-acts");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Preview: block" }).waitFor();
    await page.getByText("Who loses access").waitFor();
    assert.deepEqual(blocked(), [], "nothing moved yet");
    await page.getByRole("button", { name: "Block 2 devices" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.deepEqual(blocked(), [mac(0), mac(1)].sort());

    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^Search devices/ }).waitFor();
    await page.keyboard.type("undo");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Preview: revert" }).waitFor();
    await assertAccessible(page);
    await page.getByRole("button", { name: "Revert change" }).click();
    await page.getByText("was reverted.").waitFor();
    assert.deepEqual(blocked(), []);
  });
});

Deno.test("the palette allows and blocks Internet, opens the access test, and fits a phone", async () => {
  await onRouter({ files: manyDevices(3) }, async ({ open, router }) => {
    const named = await router.ask("PUT", `/device?identity=${mac(0)}`, {
      body: { Name: "<b>Tv</b> ".padEnd(32, "x"), Policies: ["dns", "noapi"] },
    });
    assert.equal(named.status, 200, await named.text());
    const page = await open({ size: PHONE });
    await page.getByRole("button", { name: /Search or jump to/ }).click();
    await page.getByRole("combobox", { name: /^Search devices/ }).waitFor();
    await page.keyboard.type("give tv");
    await page.getByRole("option", { name: /^Turn on Internet for <b>Tv<\/b>/ }).click();
    await page.getByRole("button", { name: "Turn on Internet" }).waitFor();
    await assertNoSidewaysScroll(page);
    await page.getByRole("button", { name: "Turn on Internet" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.ok(router.engine.config.devices[mac(0)]?.Policies.includes("wan"));
    await page.getByRole("button", { name: /Search or jump to/ }).click();
    await page.getByRole("combobox", { name: /^Search devices/ }).waitFor();
    await page.keyboard.type("reach tv");
    await page.getByRole("option", { name: /^Test access to/ }).click();
    await page.getByRole("heading", { name: "Access test", level: 1 }).waitFor();
    assert.match(page.url(), /reach\?to=/);
    await assertNoSidewaysScroll(page);
  });
});
