import assert from "node:assert/strict";
import type { Page } from "playwright";
import { assertAccessible, inBrowser, picture, type Viewer } from "../kit/browser/browser.ts";
import { editsApplied, reviewEdits } from "../kit/browser/staged_edits.ts";
import { buildLab, INTERNET, type Lab, type LabClient } from "../kit/lab/lab.ts";
import { LAB_PASSWORD, type LabRouter, type Lease, startRouter } from "../kit/lab/router.ts";

type Client = LabClient & Lease;

interface Bed extends Viewer {
  readonly lab: Lab;
  readonly router: LabRouter;
  readonly clients: readonly [Client, Client, Client];
}

async function withBed(run: (bed: Bed) => Promise<void>): Promise<void> {
  const lab = await buildLab({ name: "ui" });
  try {
    const router = await startRouter(lab);
    try {
      const clients: Client[] = [];
      for (const client of lab.clients) clients.push({ ...client, ...await router.lease(client) });
      const { url } = router.openDoor();
      await inBrowser(
        { origin: url, password: LAB_PASSWORD },
        (viewer) => run({ ...viewer, lab, router, clients: clients as [Client, Client, Client] }),
      );
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
  }
}

const toggle = (page: Page, name: string) => page.getByRole("switch", { name, exact: true });
const stands = async (page: Page, name: string, on: boolean) => {
  await editsApplied(page);
  await page.locator(`[role="switch"][aria-label="${name}"][aria-checked="${on}"]`).waitFor();
};
const deviceAt = (page: Page, client: Client) =>
  new URL(`/admin/devices/${encodeURIComponent(client.mac)}`, page.url()).href;

/** Flips a switch (on a device's page it is reviewed first), reads what its preview says, and applies it with the button of this name. */
async function flip(page: Page, name: string, says: RegExp, button: string): Promise<void> {
  await toggle(page, name).click();
  if (page.url().includes("/devices/")) await reviewEdits(page);
  await page.getByRole("dialog").getByText(says).first().waitFor();
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

Deno.test({
  name: "what is switched in the browser is what packets do",
  ignore: Deno.uid() !== 0,
  async fn(t) {
    await withBed(async ({ open, lab, router, clients }) => {
      const [a, b, c] = clients;
      const page = await open();
      const internet = () => lab.tcp("a", INTERNET, 80);

      await t.step("the list shows the leases, and the network is applied", async () => {
        for (const client of clients) {
          const row = page.getByRole("row", { name: new RegExp(`client-${client.name}`) });
          await row.getByText(client.IP, { exact: true }).waitFor();
          await row.getByText(client.link, { exact: true }).waitFor();
        }
        assert.equal(await page.getByText("Demo mode").count(), 0);
        await assertAccessible(page);
        await picture(page, "lab-devices");
      });

      await t.step(
        "turning on Internet shows who gains access, and the client gets out",
        async () => {
          await page.getByRole("link", { name: "client-a" }).click();
          await toggle(page, "Internet").click();
          await reviewEdits(page);
          const gains = page.getByRole("dialog").getByRole("region", { name: "Who gains access" });
          await gains.getByText("client-a to Internet").waitFor();
          await picture(page, "lab-preview");
          assert.equal(await internet(), "timeout", "a preview moves nothing");
          await page.getByRole("button", { name: "Turn on Internet" }).click();
          await stands(page, "Internet", true);
          assert.equal(await internet(), "open");
        },
      );

      await t.step(
        "turning off Internet shows who loses access, and ends the running connection",
        async () => {
          const held = await lab.hold("a", INTERNET);
          await toggle(page, "Internet").click();
          await reviewEdits(page);
          const losses = page.getByRole("dialog").getByRole("region", { name: "Who loses access" });
          await losses.getByText("client-a to Internet").waitFor();
          assert.equal(held.alive, true, "a preview cuts nothing");
          await page.getByRole("button", { name: "Turn off Internet" }).click();
          assert.equal(await held.breaks(), true, "the running connection was cut");
          await held.close();
          assert.equal(await internet(), "timeout");
        },
      );

      await t.step("undo from the toast allows it again", async () => {
        await page.getByRole("button", { name: "Undo" }).click();
        await stands(page, "Internet", true);
        assert.equal(await internet(), "open");
      });

      await t.step("the history shows all three, and undoes by preview", async () => {
        await page.getByRole("navigation", { name: "Main" }).getByRole("link", {
          name: "Change history",
        })
          .click();
        await page.getByText("reverted").first().waitFor();
        await page.locator("a[data-row]").first().click();
        const chosen = page.getByRole("region", { name: "Selected change" });
        await chosen.getByText("an earlier change").waitFor();
        await assertAccessible(page);
        await picture(page, "lab-changes");
        await chosen.getByRole("button", { name: "Revert", exact: true }).click();
        await page.getByRole("dialog").getByText("client-a to Internet").waitFor();
        await page.getByRole("button", { name: "Revert change" }).click();
        await page.getByRole("dialog").waitFor({ state: "detached" });
        assert.equal(await internet(), "timeout");
      });

      await t.step("a group lets its two members reach each other, and nobody else", async () => {
        assert.equal(await lab.ping("a", b.IP), false);
        for (const client of [a, b]) {
          await page.goto(deviceAt(page, client));
          await page.getByLabel("Add to a group").fill("Kids");
          await page.getByLabel("Add to a group").press("Enter");
          await reviewEdits(page);
          if (client === b) {
            await page.getByRole("dialog").getByText(/client-[ab] with client-[ab]/).waitFor();
          }
          await page.getByRole("button", { name: "Add to kids" }).click();
          await page.getByRole("dialog").waitFor({ state: "detached" });
          await page.getByRole("button", { name: "Leave group kids" }).waitFor();
        }
        assert.equal(await lab.ping("a", b.IP), true);
        assert.equal(await lab.ping("b", a.IP), true);
        assert.equal(await lab.ping("c", a.IP), false);
      });

      await t.step(
        "a change made through the API shows in the open page within a second",
        async () => {
          await page.goto(deviceAt(page, c));
          await page.getByText("Live").waitFor();
          await stands(page, "Internet", false);
          const path = `/device?identity=${c.mac}`;
          const answer = await router.api("PUT", path, { body: { Policies: ["wan"] } });
          assert.equal(answer.status, 200, answer.text);
          await stands(page, "Internet", true);
          await router.api("PUT", path, { body: { Name: "Named by a script" } });
          await page.getByRole("heading", { name: "Named by a script", level: 1 })
            .waitFor();
        },
      );

      await t.step(
        "a change in a confirm window is active, survives a reload, and is confirmed",
        async () => {
          await page.goto(deviceAt(page, a));
          await toggle(page, "Internet").click();
          await reviewEdits(page);
          await page.getByRole("dialog").getByText("client-a to Internet").waitFor();
          await page.getByLabel("Revert automatically").selectOption("90");
          await page.getByRole("button", { name: "Apply for 90 s" }).click();
          const banner = page.getByRole("region", { name: "Change to confirm" });
          await banner.waitFor();
          assert.equal(await internet(), "open", "a trial counts at once");
          await page.reload();
          await banner.getByRole("timer").getByText(/^1 min( [12]?\d s)?$|^1 min 30 s$/).waitFor();
          await assertAccessible(page);
          await picture(page, "lab-trial");
          await banner.getByRole("button", { name: "Keep changes" }).click();
          await banner.waitFor({ state: "detached" });
          assert.equal(await internet(), "open");
          const { window } = (await router.api("GET", "/changes/window")).json;
          assert.equal(window, null);
        },
      );

      await t.step(
        "a trial that a script began shows in the page, and is reverted there",
        async () => {
          const held = await lab.hold("a", INTERNET);
          const answer = await router.api("PUT", `/device?identity=${a.mac}`, {
            body: { DeviceDisabled: true },
            headers: { "confirm-within": "60" },
          });
          assert.equal(answer.status, 200, answer.text);
          assert.equal(await held.breaks(), true);
          await held.close();
          const banner = page.getByRole("region", { name: "Change to confirm" });
          await banner.waitFor();
          await banner.getByRole("button", { name: "Revert now" }).click();
          await banner.waitFor({ state: "detached" });
          assert.equal(await internet(), "open");
        },
      );

      await t.step("an unconfirmed change reverts by itself, and the page follows", async () => {
        const answer = await router.api("PUT", `/device?identity=${a.mac}`, {
          body: { Policies: ["noapi"] },
          headers: { "confirm-within": "10" },
        });
        assert.equal(answer.status, 200, answer.text);
        await stands(page, "Internet", false);
        const banner = page.getByRole("region", { name: "Change to confirm" });
        await banner.waitFor();
        await stands(page, "Internet", true);
        await banner.waitFor({ state: "detached" });
        assert.equal(await internet(), "open");
      });

      await t.step("quarantine blocks the client, and ending it allows it again", async () => {
        await flip(page, "Quarantine", /client-a to Internet/, "Turn on Quarantine");
        await stands(page, "Quarantine", true);
        assert.equal(await internet(), "timeout");
        assert.equal(await lab.ping("b", a.IP), false);
        await flip(page, "Quarantine", /client-a to Internet/, "Turn off Quarantine");
        await stands(page, "Quarantine", false);
        assert.equal(await internet(), "open");
      });

      await t.step("disabling a group in the browser separates its members", async () => {
        await page.goto(new URL("/admin/groups", page.url()).href);
        await flip(page, "kids is on", /client-[ab] with client-[ab]/, "Disable");
        await stands(page, "kids is on", false);
        assert.equal(await lab.ping("a", b.IP), false);
      });

      await t.step("after kill -9 the open page follows the restarted router", async () => {
        await router.stop("SIGKILL");
        await page.getByText("Reconnecting").first().waitFor();
        assert.equal(await internet(), "open", "rules stay");
        await router.start();
        await page.getByText("Live").waitFor();
        await flip(page, "kids is on", /client-[ab] with client-[ab]/, "Enable");
        await stands(page, "kids is on", true);
        assert.equal(await lab.ping("a", b.IP), true);
      });
    });
  },
});
