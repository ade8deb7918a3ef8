import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { manualOf, textOf } from "../../../ui/build/manual.ts";
import { manualHits } from "../../../ui/pages/help/hits.ts";
import type { ManualElement, ManualEntry, ManualNode } from "../../../ui/pages/help/manual.ts";
import { helpFor, SECTIONS } from "../../../ui/pages/help/sections.ts";
import { PAGES } from "../../../ui/pages/registry.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { press } from "../../kit/browser/keyboard.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

const DOCS = fileURLToPath(new URL("../../../docs", import.meta.url));

const manual = manualOf(
  new Map(
    [...Deno.readDirSync(DOCS)].filter(({ name }) => name.endsWith(".md"))
      .map(({ name }) => [name.slice(0, -3), Deno.readTextFileSync(`${DOCS}/${name}`)]),
  ),
);
const entries: readonly ManualEntry[] = manual.map(({ id, title, sections }) => ({
  ...{ id, title, sections },
  file: "",
}));
/** Every address within the manual. */
const addresses = new Set(
  manual.flatMap(({ id, content }) => [
    `/admin/help/${id}`,
    ...elements(content).flatMap((one) =>
      one.id === undefined ? [] : [`/admin/help/${id}#${one.id}`]
    ),
  ]),
);

function elements(nodes: readonly ManualNode[]): readonly ManualElement[] {
  return nodes.flatMap((node) => typeof node === "string" ? [] : [node, ...elements(node.in)]);
}

Deno.test("the help of every page leads to a section that the manual has", () => {
  assert.deepEqual(Object.keys(SECTIONS).toSorted(), PAGES.map(({ path }) => path).toSorted());
  for (const { path } of PAGES) {
    const address = path.replace(/:(\w+)\??/g, "some-$1");
    assert.ok(addresses.has(helpFor(address)), `${address}: ${helpFor(address)}`);
    assert.equal(helpFor(address), `/admin/help/${SECTIONS[path]}`);
  }
  assert.equal(helpFor("/admin/changes"), "/admin/help/changes");
  assert.equal(helpFor("/admin/devices/add"), "/admin/help/interface#new-devices");
  assert.equal(helpFor("/admin/none/of/these"), "/admin/help");
});

Deno.test("every link within the manual leads to one of its sections", () => {
  assert.ok(manual.length > 20);
  for (const { id, content } of manual) {
    for (const { to } of elements(content)) {
      if (to === undefined || to.startsWith("https:")) continue;
      const address = to.startsWith("#") ? `/admin/help/${id}${to}` : to;
      assert.ok(addresses.has(address), `${id} links to ${to}`);
    }
  }
});

Deno.test("the manual reads lists, tables and code as they are written", () => {
  const [page] = manualOf(
    new Map([[
      "sample",
      [
        ...[
          "# A sample",
          "",
          "Words of `code`, **weight** and _stress_,",
          "[linked](#part-two).",
          "",
        ],
        ...[
          "## Part two",
          "",
          "- one",
          "  goes on",
          "- two",
          "",
          "  ```sh",
          "  run | it",
          "  ```",
          "",
        ],
        ...[
          "1. first",
          "2. second",
          "   - inside",
          "",
          "| a | b |",
          "| - | - |",
          "| `x\\|y` | z |",
        ],
      ].join("\n"),
    ]]),
  );
  const [words, heading, list, numbered, table] = page!.content as readonly ManualElement[];
  assert.equal(page!.title, "A sample");
  assert.equal(textOf(words!), "Words of code, weight and stress, linked.");
  assert.deepEqual(words!.in.filter((one) => typeof one !== "string").map((one) => one.tag), [
    ...["code", "strong", "em", "a"] as const,
  ]);
  assert.deepEqual([heading!.tag, heading!.id], ["h2", "part-two"]);
  assert.deepEqual(list!.in.map(textOf), ["one goes on", "tworun | it"]);
  assert.deepEqual(elements(list!.in).map(({ tag }) => tag), ["li", "li", "pre", "code"]);
  assert.deepEqual([numbered!.tag, elements(numbered!.in).map(({ tag }) => tag)], [
    "ol",
    ["li", "li", "ul", "li"],
  ]);
  assert.deepEqual(
    elements([table!]).filter(({ tag }) => tag === "td").map(textOf),
    ["x|y", "z"],
  );
});

Deno.test("the palette finds the manual by help, and sections by their words", () => {
  const hits = (text: string) => manualHits(text, entries).map(({ href }) => href);
  assert.equal(hits("help").length, entries.length);
  assert.ok(hits("help multiple uplinks").includes("/admin/help/network#multiple-uplinks"));
  assert.ok(hits("schedules").includes("/admin/help/firewall#schedules-of-groups"));
  assert.deepEqual(hits("zz"), []);
  for (const href of [...hits("help"), ...hits("address")]) {
    assert.ok(addresses.has(href!), `${href}`);
  }
});

Deno.test("help opens at the section for the current page, by keyboard and on a phone", async () => {
  await onRouter({}, async ({ open }) => {
    const page = await open({ path: "/admin/reach" });
    await press(page, page.getByRole("link", { name: "Help", exact: true }));
    await page.waitForURL("**/admin/help/firewall#reach");
    const heading = page.getByRole("heading", { name: "Reach", exact: true });
    await heading.waitFor();
    await page.waitForFunction(() =>
      document.getElementById("reach")!.getBoundingClientRect().top < innerHeight / 2
    );
    await picture(page, "help-desk-light");
    await assertAccessible(page);
    // Back leads to the page, not to where help was looked up.
    await page.goBack();
    await page.getByRole("heading", { name: "Access test", level: 1 }).waitFor();

    const phone = await open({ path: "/admin/help", size: PHONE });
    await phone.getByRole("link", { name: "Wi-Fi", exact: true }).first().waitFor();
    await assertNoSidewaysScroll(phone);
    await phone.locator("main").getByRole("link", { name: "Events", exact: true }).first()
      .click();
    await phone.getByRole("heading", { name: "Events", level: 1 }).waitFor();
    await phone.getByRole("heading", { name: "Topics" }).waitFor();
    await assertNoSidewaysScroll(phone);
    await assertAccessible(phone);
    await phone.goto(new URL("/admin/help/nothing", phone.url()).href);
    await phone.getByText("The manual has no such page.").waitFor();

    const german = await open({ path: "/admin/help/dns", languages: ["de-DE"] });
    await german.getByText("Das Handbuch ist auf Englisch.").waitFor();
    await german.keyboard.press("Control+k");
    await german.keyboard.type("hilfe");
    await german.getByRole("option", { name: /Multicast and mDNS/ }).click();
    await german.getByRole("heading", { name: "Multicast and mDNS", level: 1 }).waitFor();
  });
});
