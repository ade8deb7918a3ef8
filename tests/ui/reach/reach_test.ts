import assert from "node:assert/strict";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";
import { reviewEdits } from "../../kit/browser/staged_edits.ts";

const TABLET = "02:00:5e:00:53:01";
const SERVER = "02:00:5e:00:53:02";

async function home({ router }: RealStage): Promise<void> {
  const put = (identity: string, Name: string, Policies: string[]) =>
    router.ask("PUT", `/device?identity=${identity}`, {
      body: { Name, MAC: identity, Policies, Groups: [] },
    });
  await put(TABLET, "Kids’ tablet", ["wan", "dns"]);
  await put(SERVER, "Home server", ["dns"]);
  for (const MAC of [TABLET, SERVER]) {
    const sent = { MAC, Identifier: MAC, Name: "x", Iface: "lan0", Router: "" };
    await router.inside("dhcp", "PUT", "/dhcpRequest", sent);
  }
}

Deno.test("an access test shows the deciding rule, swaps source and destination, and shows nftables rules", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path: "/admin/reach", size, dark });
      await page.getByText("Enter source and destination").waitFor();
      await page.getByRole("button", { name: "Test", exact: true }).click();
      assert.equal(await page.getByText("Enter a device or an IP address").count(), 2);
      await page.getByLabel("From").fill("Kids’ tablet");
      await page.getByLabel("To", { exact: true }).fill("home server");
      await page.getByLabel("Port").fill("70000");
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await page.getByText("Write one port, 1 to 65535").waitFor();
      await page.getByLabel("Port").fill("445");
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await page.getByRole("heading", {
        name: "Blocked. Kids’ tablet cannot open TCP 445 on Home server",
      }).waitFor();
      assert.equal(await page.locator(".chain .decides").count(), 1);
      await page.getByLabel("Show nftables rules").check();
      await page.getByText(/filter FORWARD/i).first().waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `reach-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.getByRole("button", { name: "Swap" }).click();
      await page.getByRole("heading", { name: /Home server cannot open TCP 445 on Kids/ })
        .waitFor();
      await page.close();
    }
  });
});

Deno.test("a device page opens its access test, whose result follows a change made elsewhere", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    const page = await stage.open({ path: `/admin/devices/${encodeURIComponent(TABLET)}` });
    await page.getByRole("link", { name: "Test connection" }).click();
    await page.getByLabel("To", { exact: true }).fill("Internet");
    assert.equal(await page.getByLabel("From").inputValue(), "Kids’ tablet");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByRole("heading", {
      name: "Allowed. Kids’ tablet can open TCP 443 on the Internet",
    })
      .waitFor();
    await page.getByText("Allowed by policy wan").first().waitFor();
    await stage.router.ask("PUT", `/device?identity=${TABLET}`, { body: { Policies: ["dns"] } });
    await page.getByRole("heading", { name: "Blocked. Kids’ tablet cannot open TCP 443" })
      .waitFor();
  });
});

Deno.test("a test is saved, a change that breaks it needs a confirm window, and the test is deleted", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    const page = await stage.open({
      path: `/admin/reach?from=${encodeURIComponent(TABLET)}&to=internet&protocol=tcp&port=443`,
    });
    await page.getByText("None yet.").waitFor();
    await page.getByRole("button", { name: "Save as test" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("homework");
    await assertAccessible(page);
    await page.getByRole("button", { name: "Save test" }).click();
    await page.getByText("Kids’ tablet must open TCP 443 on Internet").waitFor();
    await page.getByText("Pass", { exact: true }).waitFor();

    await page.goto(new URL(`/admin/devices/${encodeURIComponent(TABLET)}`, page.url()).href);
    await page.getByRole("switch", { name: "Internet", exact: true }).click();
    await reviewEdits(page);
    await page.getByText("This would fail the test “homework”.").waitFor();
    await page.getByText(/must reach the Internet; /).waitFor();
    await assertAccessible(page);
    await picture(page, "reach-broken-test");
    await page.getByRole("button", { name: "Apply for 90 s" }).click();
    await page.getByText("awaits confirmation").waitFor();

    await page.getByRole("link", { name: "Access test" }).first().click();
    await page.getByText("Fail", { exact: true }).waitFor();
    await picture(page, "reach-failing-test");
    await page.getByRole("button", { name: "Revert now" }).click();
    await page.getByText("Pass", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete test homework" }).click();
    await page.getByText("None yet.").waitFor();
    assert.deepEqual(await stage.router.json("GET", "/reach/tests"), []);
  });
});

Deno.test("a blocked connection is allowed by the suggestion with least access, and undone from the toast", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    const path = `/admin/reach?from=${encodeURIComponent(TABLET)}&to=${
      encodeURIComponent(SERVER)
    }&protocol=tcp&port=445`;
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path, size, dark });
      await page.getByRole("heading", { name: "Ways to allow" }).waitFor();
      await page.getByText(/^Create group /).waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await page.getByRole("heading", { name: "Ways to allow" }).scrollIntoViewIfNeeded();
      await picture(
        page,
        `reach-flips-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
    const page = await stage.open({ path });
    await page.getByRole("button", { name: /^Preview: Create group / }).click();
    await page.getByText("allows this connection").waitFor();
    await page.getByText("Who gains access").waitFor();
    await assertAccessible(page);
    await picture(page, "reach-flip-preview");
    const groupsOf = async () =>
      (await stage.router.json<Record<string, { Groups: string[] }>>("GET", "/devices"))[TABLET]
        ?.Groups;
    assert.deepEqual(await groupsOf(), []);
    await page.getByRole("button", { name: "Apply change" }).click();
    await page.getByRole("heading", { name: "Allowed. Kids’ tablet can open TCP 445" }).waitFor();
    await page.getByRole("region", { name: "Ways to block" }).getByRole("listitem").first()
      .waitFor();
    assert.equal((await groupsOf())?.length, 1);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Blocked. Kids’ tablet cannot open TCP 445" })
      .waitFor();
    assert.deepEqual(await groupsOf(), []);
  });
});

Deno.test("while ways against a new answer are looked for, there is no heading over an empty panel", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    const page = await stage.open({
      path: `/admin/reach?from=${encodeURIComponent(SERVER)}&to=internet&protocol=tcp&port=443`,
    });
    await page.getByRole("heading", { name: "Ways to allow" }).waitFor();
    const { promise: shown, resolve: show } = Promise.withResolvers<void>();
    await page.route((url) => url.searchParams.get("suggest") === "true", async (route) => {
      await shown;
      await route.continue();
    });
    await page.getByRole("button", { name: /^Preview: .* for Home server$/ }).click();
    await page.getByRole("button", { name: "Apply change" }).click();
    await page.getByRole("heading", { name: "Allowed. Home server can open TCP 443" }).waitFor();
    await page.getByText("Looking for ways to block…").waitFor();
    assert.equal(await page.getByRole("heading", { name: /^Ways to/ }).count(), 0);
    show();
    await page.getByRole("region", { name: "Ways to block" }).getByRole("listitem").first()
      .waitFor();
    await page.close();
  });
});

Deno.test("a policy of the device is suggested, and the test is in the address of the page", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    const page = await stage.open({
      path: `/admin/reach?from=${encodeURIComponent(SERVER)}&to=internet&protocol=tcp&port=443`,
    });
    await page.getByRole("button", { name: /^Preview: .* for Home server$/ }).click();
    await page.getByText("No other access changes").or(page.getByText(/Also allows/)).first()
      .waitFor();
    await page.getByRole("button", { name: "Apply change" }).click();
    await page.getByRole("heading", { name: "Allowed. Home server can open TCP 443" }).waitFor();
  });
});

Deno.test("a suggested forward moves the test to the router's own address", async () => {
  await onRouter({}, async (stage) => {
    await home(stage);
    await stage.router.ask("PUT", "/uplink/ip", {
      body: { Name: "wan0", DisableDHCP: true, IP: "203.0.113.7/24", Router: "203.0.113.1" },
    });
    const page = await stage.open({
      path: `/admin/reach?from=internet&to=${encodeURIComponent(SERVER)}&protocol=tcp&port=8443`,
    });
    await page.getByText("It is then reachable at this router’s own address").waitFor();
    await page.getByRole("button", { name: /^Preview: Forward tcp 8443/ }).click();
    await page.getByRole("button", { name: "Apply change" }).click();
    await page.getByRole("heading", { name: /^Allowed\. .*TCP 8443/ }).waitFor();
    assert.equal(await page.getByLabel("To", { exact: true }).inputValue(), "This router");
    await page.getByRole("button", { name: /^Preview: Delete port forward/ }).waitFor();
  });
});
