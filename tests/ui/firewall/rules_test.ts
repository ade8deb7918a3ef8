import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
  signIn,
} from "../../kit/browser/browser.ts";
import { ruleKinds } from "../../../ui/generated/rule_kinds.ts";
import { PASSWORD } from "../../kit/router.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

const SERVER = "02:00:5e:00:53:02";
const RULES = "/admin/firewall";

/** A server that leased an address, and the address. */
async function lease({ router }: RealStage): Promise<string> {
  await router.ask("PUT", `/device?identity=${SERVER}`, {
    body: { Name: "Home server", MAC: SERVER, Policies: ["wan", "dns"], Groups: [] },
  });
  const sent = { MAC: SERVER, Identifier: SERVER, Name: "server", Iface: "lan0", Router: "" };
  const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", sent);
  assert.equal(answer.status, 200, await answer.text());
  const devices = await router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  return devices[SERVER]?.RecentIP ?? "";
}

/** One rule of each kind. */
async function oneOfEach({ router }: RealStage, server: string): Promise<void> {
  const put = async (path: string, body: unknown): Promise<void> => {
    const answer = await router.ask("PUT", `/firewall/${path}`, { body });
    assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
  };
  await put("forward", {
    RuleName: "Web on the server",
    Protocol: "tcp",
    SrcPort: "443",
    DstIP: server,
    DstPort: "8443",
  });
  await put("block", { Protocol: "tcp", SrcIP: server, DstIP: "198.51.100.0/24" });
  await put("block_forward", {
    RuleName: "No mail",
    Protocol: "tcp",
    SrcIP: "0.0.0.0/0",
    DstIP: "0.0.0.0/0",
    DstPort: "25",
    Disabled: true,
  });
  await put("block_output", {
    Protocol: "udp",
    SrcIP: "0.0.0.0/0",
    DstIP: "203.0.113.80",
    DstPort: "123",
  });
  await put("endpoint", {
    RuleName: "printing",
    Protocol: "tcp",
    IP: "203.0.113.9",
    Port: "631",
    Tags: ["office"],
  });
  await put("multicast", { Port: "5353", Upstream: false });
  await put("custom_interface", {
    Interface: "docker0",
    SrcIP: "172.17.0.0/16",
    Policies: ["wan", "dns"],
  });
}

interface Forwards {
  readonly ForwardingRules: readonly Readonly<Record<string, unknown>>[];
}

Deno.test("rules of every kind are sentences, on desktop and phone, in both themes", async () => {
  await onRouter({}, async (stage) => {
    await oneOfEach(stage, await lease(stage));
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path: RULES, size, dark });
      const table = page.getByRole("table", { name: "Firewall rules" });
      await table.getByText("Home server, port 8443").waitFor();
      await table.getByText("TCP 443", { exact: true }).first().waitFor();
      await table.getByText("Port forward", { exact: true }).waitFor();
      await page.getByText("172.17.0.0/16 on docker0").first().waitFor();
      await page.getByRole("heading", { name: "Ping" }).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `rules-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.getByRole("button", { name: "Web on the server" }).click();
      await page.getByRole("heading", { name: "Web on the server" }).waitFor();
      await assertAccessible(page);
      await picture(
        page,
        `rules-form-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
  });
});

Deno.test("a forward is validated at its field, previewed, added, disabled, undone and deleted", async () => {
  await onRouter({}, async (stage) => {
    const { open, router } = stage;
    const server = await lease(stage);
    const forwards = async () =>
      (await router.json<Forwards>("GET", "/firewall/config")).ForwardingRules;
    const page = await open({ path: RULES });
    await page.getByRole("button", { name: "New rule" }).click();
    await page.getByRole("button", { name: "Preview rule" }).click();
    assert.equal(await page.getByText("This field is required").count(), 2);
    await page.getByLabel("WAN port").fill("9000-8000");
    await page.getByLabel("Forward to").fill("home");
    await page.getByRole("button", { name: "Preview rule" }).click();
    await page.getByText("The range runs backwards; write 8000-9000").waitFor();
    await page.getByText("Write an IPv4 address or network").waitFor();
    assert.equal(
      await page.getByLabel("WAN port").getAttribute("aria-invalid"),
      "true",
    );
    await picture(page, "rules-refused");
    assert.deepEqual(await forwards(), []);

    await page.getByLabel("WAN port").fill("2222");
    await page.getByLabel("Forward to").fill(server);
    await page.getByText("This is Home server. The rule follows the device").waitFor();
    await page.getByLabel("Internal port").fill("22");
    await page.getByRole("button", { name: "Preview rule" }).click();
    await page.getByText("forwards traffic from the Internet to TCP 2222").waitFor();
    await page.getByText("Who gains access").waitFor();
    await assertAccessible(page);
    await picture(page, "rules-preview");
    assert.deepEqual(await forwards(), []);
    await page.getByRole("button", { name: "Add port forward" }).click();
    await page.getByRole("switch", { name: "TCP 2222 to Home server is on" }).waitFor();
    assert.equal((await forwards()).length, 1);
    assert.equal(await page.getByRole("dialog").count(), 0);

    await page.getByRole("switch", { name: "TCP 2222 to Home server is on" }).click();
    await page.getByText("stays in the list and is disabled").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.locator('[role="switch"][aria-checked="false"][aria-label^="TCP 2222"]').waitFor();
    assert.equal((await forwards())[0]?.["Disabled"], true);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator('[role="switch"][aria-checked="true"][aria-label^="TCP 2222"]').waitFor();

    await page.getByRole("button", { name: "TCP 2222 to Home server" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Until now it forwards traffic from").waitFor();
    await page.getByRole("button", { name: "Delete rule" }).click();
    await page.getByRole("button", { name: "TCP 2222 to Home server" })
      .waitFor({ state: "detached" });
    assert.deepEqual(await forwards(), []);
  });
});

Deno.test("a forward that conflicts with another is refused in the form", async () => {
  await onRouter({}, async (stage) => {
    await oneOfEach(stage, await lease(stage));
    const page = await stage.open({ path: `${RULES}?show=forward` });
    await page.getByRole("button", { name: "New rule" }).click();
    await page.getByLabel("WAN port").fill("443");
    await page.getByLabel("Forward to").fill("192.168.2.99");
    await page.getByRole("button", { name: "Preview rule" }).click();
    await page.getByText(/port 443 leads to .* already \(Web on the server\)/).waitFor();
  });
});

Deno.test("a rule added elsewhere appears by itself, and is found by its device", async () => {
  await onRouter({}, async (stage) => {
    const server = await lease(stage);
    const page = await stage.open({ path: RULES });
    await page.getByText("Live").waitFor();
    await page.getByRole("cell", { name: "Router port" }).first().waitFor();
    await oneOfEach(stage, server);
    await page.getByRole("button", { name: "Web on the server" }).waitFor();
    await page.getByLabel("Filter rules").fill("home server 443");
    await page.getByRole("cell", { name: "Router port" }).first().waitFor({ state: "detached" });
    assert.equal(await page.locator("tbody tr").count(), 1);
    await page.getByLabel("Filter rules").fill("nothing like that");
    await page.getByText("No matches").waitFor();
  });
});

Deno.test("every kind of rule has a form that the router accepts", async () => {
  const filled: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    block: { From: "192.168.2.64/26", To: "198.51.100.7" },
    block_forward: { From: "", To: "198.51.100.7", Ports: "25" },
    block_output: { To: "198.51.100.7", Ports: "123" },
    endpoint: { Name: "printer", Address: "198.51.100.9", Port: "631", Tags: "office, home" },
    service_port: { Port: "8022" },
    multicast: { Port: "5353" },
    custom_interface: { Interface: "docker0", "IP address or network": "172.17.0.0/16" },
  };
  // The form of forwards has a test of its own.
  const kinds = Object.values(ruleKinds).map(({ path }) => path);
  assert.deepEqual(["forward", ...Object.keys(filled)].sort(), kinds.sort());
  await onRouter({}, async ({ open, router }) => {
    const page = await open({ path: RULES });
    for (const [kind, fields] of Object.entries(filled)) {
      await page.getByRole("button", { name: "New rule" }).click();
      await page.getByLabel("Type").selectOption(kind);
      for (const [label, value] of Object.entries(fields)) {
        await page.getByRole("dialog").getByLabel(label, { exact: true }).fill(value);
      }
      await page.getByRole("button", { name: "Preview rule" }).click();
      await page.getByRole("button", { name: /^Add / }).click();
      await page.getByRole("dialog").first().waitFor({ state: "detached" });
    }
    const firewall = await router.json<Record<string, unknown[]>>("GET", "/firewall/config");
    assert.deepEqual(
      [
        "BlockRules",
        "ForwardingBlockRules",
        "OutputBlockRules",
        "Endpoints",
        "MulticastPorts",
      ]
        .concat("CustomInterfaceRules").map((list) => firewall[list]?.length),
      [1, 1, 1, 1, 1, 1],
    );
    assert.ok(firewall["ServicePorts"]?.some((port) => (port as { Port: string }).Port === "8022"));
    await page.getByRole("switch", { name: "Answer ping on WAN" }).click();
    await page.getByRole("button", { name: "Answer pings" }).click();
    await page.locator('[aria-label="Answer ping on WAN"][aria-checked="true"]').waitFor();
  });
});

Deno.test("hits are shown at each rule, and as unknown where nothing is counted", async () => {
  await onRouter({}, async (stage) => {
    const server = await lease(stage);
    await oneOfEach(stage, server);
    const page = await stage.open({ signIn: false });
    const counters = await stage.router.json<{ kind: string; rule: string }[]>(
      "GET",
      "/firewall/counters",
    );
    assert.ok(counters.some(({ kind }) => kind === "forward"));
    await page.route("**/firewall/counters", (route) =>
      route.fulfill({
        json: counters.map((one) => one.kind === "forward" ? { ...one, packets: 4182 } : one),
      }));
    await signIn(page, PASSWORD);
    await page.goto(new URL(RULES, page.url()).href);
    const hits = (name: string) =>
      page.getByRole("row").filter({ hasText: name }).locator(".c-hits");
    await hits("Web on the server").getByText("4,182").waitFor();
    await hits("printing").getByText("–").waitFor();
  });
});

Deno.test("a shadowed rule names the other one, and its deletion is previewed", async () => {
  await onRouter({}, async (stage) => {
    const server = await lease(stage);
    const block = (SrcIP: string, RuleName: string) =>
      stage.router.ask("PUT", "/firewall/block", {
        body: { RuleName, Protocol: "tcp", SrcIP, DstIP: "198.51.100.0/24" },
      });
    await block("192.168.2.0/24", "All of home");
    await block(server, "The server");
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path: RULES, size, dark });
      await page.getByRole("button", { name: "Delete The server…" }).waitFor();
      const joined = page.locator("tr.joined");
      assert.equal(await joined.count(), 1, "a line parts all rows but that of the finding");
      assert.match(await joined.textContent() ?? "", /The server/);
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `rules-findings-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
    const page = await stage.open({ path: RULES });
    await page.getByRole("button", { name: /^Possible problems/ }).click();
    await page.getByRole("cell", { name: "Router port" }).first().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Delete The server…" }).click();
    await page.getByText("fixes").waitFor();
    await assertAccessible(page);
    await picture(page, "rules-finding-preview");
    await page.getByRole("button", { name: "Apply change" }).click();
    await page.getByText("No problems found").waitFor();
    const { BlockRules } = await stage.router.json<{ BlockRules: unknown[] }>(
      "GET",
      "/firewall/config",
    );
    assert.equal(BlockRules.length, 1);
  });
});

Deno.test("TCP and UDP are one line and one change, to a device that is chosen by its name", async () => {
  await onRouter({}, async (stage) => {
    const { router } = stage;
    const server = await lease(stage);
    const forwards = async () =>
      (await router.json<Forwards>("GET", "/firewall/config")).ForwardingRules;
    const page = await stage.open({ path: RULES });
    await page.getByRole("button", { name: "New rule" }).click();
    await page.getByLabel("Protocol").selectOption("TCP and UDP");
    await page.getByLabel("WAN port").fill("9000-8000");
    await page.getByLabel("Forward to").fill("home server");
    await page.getByText(`Home server has ${server}. The rule follows the device`).waitFor();
    await page.getByRole("button", { name: "Preview rule" }).click();
    await page.getByText("The range runs backwards; write 8000-9000").waitFor();
    await page.getByLabel("WAN port").fill("27015");
    await page.getByRole("button", { name: "Preview rule" }).click();
    await page.getByText("forwards traffic from the Internet to TCP and UDP 27015").waitFor();
    await page.getByRole("button", { name: "Add port forward" }).click();
    const name = "TCP and UDP 27015 to Home server";
    const toggle = page.getByRole("switch", { name: `${name} is on` });
    await toggle.waitFor();
    assert.deepEqual((await forwards()).map(({ Protocol, DstIP }) => [Protocol, DstIP]), [
      ["tcp", server],
      ["udp", server],
    ]);
    assert.equal(await page.getByRole("row").filter({ hasText: "27015" }).count(), 1);

    await toggle.click();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.locator(`[aria-label="${name} is on"][aria-checked="false"]`).waitFor();
    assert.deepEqual((await forwards()).map(({ Disabled }) => Disabled), [true, true]);
    await page.getByRole("button", { name }).click();
    await page.getByLabel("Name", { exact: true }).fill("Game");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByRole("button", { name: "Apply this change" }).click();
    await page.getByRole("switch", { name: "Game is on" }).waitFor();
    assert.deepEqual((await forwards()).map(({ RuleName }) => RuleName), ["Game", "Game"]);

    await page.getByRole("button", { name: "Game" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete rule" }).click();
    await page.getByRole("button", { name: "Game" }).waitFor({ state: "detached" });
    assert.deepEqual(await forwards(), []);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Game" }).waitFor();
    assert.equal((await forwards()).length, 2);
  });
});

Deno.test("the table of rules sorts by type and is dense enough for the numbers of a desk of 1024 px", async () => {
  await onRouter({}, async (stage) => {
    await oneOfEach(stage, await lease(stage));
    const page = await stage.open({ path: RULES, size: { width: 1024, height: 768 } });
    const types = () => page.locator("td.c-type").allTextContents();
    await page.getByRole("button", { name: "Type" }).click();
    const sorted = (await types()).toSorted((a, b) => a.localeCompare(b));
    assert.deepEqual(await types(), sorted);
    assert.ok(new Set(sorted).size > 6, sorted.join());
    await assertNoSidewaysScroll(page);
    await picture(page, "rules-1024");
    await page.getByRole("button", { name: /^Blocks/ }).click();
    await page.getByRole("cell", { name: "Router port" }).first().waitFor({ state: "detached" });
    assert.deepEqual(await types(), ["Block"]);
  });
});

const SINCE = Date.UTC(2026, 10, 3, 12), LATER = Date.UTC(2026, 10, 5, 12);

Deno.test("a rule without hits says so, and counters reload when the page becomes visible", async () => {
  await onRouter({}, async (stage) => {
    await oneOfEach(stage, await lease(stage));
    const page = await stage.open({ signIn: false });
    const counters = await stage.router.json<{ kind: string }[]>("GET", "/firewall/counters");
    let packets = 0;
    await page.route("**/firewall/counters", (route) =>
      route.fulfill({
        json: counters.map((one) =>
          one.kind === "forward"
            ? { ...one, packets, since: SINCE, lastUsed: packets > 0 ? LATER : null }
            : one
        ),
      }));
    await signIn(page, PASSWORD);
    await page.goto(new URL(RULES, page.url()).href);
    const hits = page.getByRole("row").filter({ hasText: "Web on the server" }).locator(".c-hits");
    await hits.getByText("never").waitFor();
    await page.getByRole("button", { name: "Web on the server" }).click();
    await page.getByText("No hits since 3 Nov 2026, when counting started").waitFor();
    packets = 12;
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.getByText("12 packets since the rules were loaded, last hit 5 Nov 2026").waitFor();
    assert.match(await hits.textContent() ?? "", /^12/);
  });
});
