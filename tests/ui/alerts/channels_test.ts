import assert from "node:assert/strict";
import type { Page } from "playwright";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { eventually } from "../../kit/eventually.ts";
import { onRouter } from "../../kit/browser/real_stage.ts";

const CARD = "02:00:00:00:0a:01";
const FAILED = {
  id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1",
  ...{ name: "hook", kind: "webhook", url: "https://hooks.example/secret-path" },
  secret: "a secret of the hook",
};

Deno.test("a channel is added by its short form, edited without its secret, and deleted", async () => {
  await onRouter({}, async (stage) => {
    const page = await stage.open({ path: "/admin/alerts" });
    await page.getByRole("tab", { name: "Channels" }).click();
    await page.getByText(/^Alerts stay on these pages/).waitFor();
    await page.getByRole("button", { name: "Add ntfy" }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByLabel("Name").fill("Anna's phone");
    await drawer.getByLabel("Server").fill("http://127.0.0.1");
    await drawer.getByLabel("Topic").fill("home-7f3a");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.getByText(/address of the router itself/).waitFor();
    await drawer.getByLabel("Server").fill("https://ntfy.example");
    await drawer.getByLabel("What is sent").selectOption("devices");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.waitFor({ state: "detached" });
    await page.getByText("ntfy · ntfy.example").waitFor();
    await page.getByRole("button", { name: /^Edit/ }).click();
    assert.equal(await drawer.getByLabel("Topic").inputValue(), "");
    await drawer.getByLabel("Name").fill("Phone");
    await drawer.getByRole("button", { name: "Save" }).click();
    await drawer.waitFor({ state: "detached" });
    await page.getByText("Phone", { exact: true }).first().waitFor();
    const [channel] = stage.router.engine.config.alertChannels;
    assert.deepEqual([channel!.topic, channel!.only], ["home-7f3a", ["new-device"]]);
    await page.getByRole("button", { name: /^Delete/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete channel" }).click();
    await page.getByText(/^Alerts stay on these pages/).waitFor();
  });
});

Deno.test("the link of a message opens a confirmation, which acts with who is signed in", async () => {
  await onRouter({}, async (stage) => {
    const { router } = stage;
    await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: CARD, Iface: "lan0" });
    await router.notices.open("waits", "Something waits");
    // It is opened after the device is served.
    const notice = await eventually("a notice of the device", async () => {
      const { items } = await router.json<{ items: { id: string; kind: string }[] }>(
        "GET",
        "/notices",
      );
      const found = items.find(({ kind }) => kind === "new-device");
      assert.ok(found !== undefined);
      return found;
    });
    const link = `/admin/alerts?notice=${notice.id}&act=guest`;
    const page = await stage.open({ path: link, signIn: "page" });
    const button = page.getByRole("dialog").getByRole("button", { name: "Allow device" });
    await button.waitFor();
    assert.deepEqual(router.engine.config.devices[CARD]!.DeviceTags, [], "the link did nothing");
    await button.click();
    await page.getByText(/is new on lan0/).waitFor({ state: "detached" });
    assert.deepEqual(router.engine.config.devices[CARD]!.DeviceTags, ["guest"]);
    await page.goto(new URL(link, page.url()).href);
    await page.getByText("This alert is resolved already.").waitFor();
  });
});

/** The page that the worker opens for a click on the notification, or on one of its buttons. */
async function click(page: Page, action: string): Promise<string> {
  const [worker] = page.context().serviceWorkers();
  return await worker!.evaluate(async (action) => {
    const scope = globalThis as unknown as {
      readonly registration: ServiceWorkerRegistration;
      readonly clients: { openWindow: (path: string) => Promise<null> };
    };
    const [notification] = await scope.registration.getNotifications();
    const kind = Reflect.get(globalThis, "NotificationEvent") as new (
      name: string,
      init: { readonly notification: unknown; readonly action: string },
    ) => Event;
    // Browsers open a window only for the hand of a person.
    return await new Promise<string>((resolve) => {
      scope.clients.openWindow = (path) => {
        resolve(path);
        return Promise.resolve(null);
      };
      // It stays for the next click.
      Object.defineProperty(notification, "close", { value: () => {} });
      dispatchEvent(new kind("notificationclick", { notification, action }));
    });
  }, action);
}

Deno.test("a message that is pushed is shown by the worker, with the notice that it is about", async () => {
  await onRouter({ browser: "whole" }, async (stage) => {
    const { router } = stage;
    await router.inside("dhcp", "PUT", "/dhcpRequest", { MAC: CARD, Iface: "lan0" });
    const notice = await eventually("a notice", async () => {
      const { items } = await router.json<{ items: { id: string }[] }>("GET", "/notices");
      assert.equal(items.length, 1);
      return items[0]!;
    });
    const page = await stage.open({ path: "/admin/alerts" });
    await page.context().grantPermissions(["notifications"]);
    const pushed = { id: "m1", title: "New device", text: "tablet", decides: notice.id };
    const devtools = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const [first] = registrations;
        if (first !== undefined) resolve(first.registrationId);
      });
    });
    await devtools.send("ServiceWorker.enable");
    await page.evaluate(async () => {
      await navigator.serviceWorker.register("/admin/push_worker.js", { scope: "/admin/" });
      await navigator.serviceWorker.ready;
    });
    const registrationId = await registered;
    const shown = await eventually("a notification", async () => {
      // Chromium drops a message to a worker that is not active yet; its tag makes it one.
      await devtools.send("ServiceWorker.deliverPushMessage", {
        origin: new URL(page.url()).origin,
        registrationId,
        data: JSON.stringify({ ...pushed, router: "home" }),
      });
      const found = await page.evaluate(async () => {
        const worker = await navigator.serviceWorker.ready;
        for (let looks = 0; looks < 40; looks++) {
          if ((await worker.getNotifications()).length > 0) break;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return (await worker.getNotifications()).map((one) => ({
          ...{ title: one.title, body: one.body, tag: one.tag, data: one.data },
        }));
      });
      assert.equal(found.length, 1);
      return found[0]!;
    });
    assert.deepEqual(shown, {
      ...{ title: "New device", body: "tablet", tag: "m1", data: { decides: notice.id } },
    });
    const opened: string[] = [];
    for (const action of ["", "allow"]) opened.push(await click(page, action));
    assert.deepEqual(opened, [
      `/admin/alerts?notice=${notice.id}`,
      `/admin/alerts?notice=${notice.id}&act=allow`,
    ]);
    await page.goto(new URL(opened[0]!, page.url()).href);
    await page.getByRole("button", { name: /^Approve/ }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.goto(new URL(opened[1]!, page.url()).href);
    await page.getByRole("dialog").getByRole("button", { name: "Allow device" }).click();
    await page.getByText("Nothing needs your attention.").waitFor();
    assert.deepEqual(router.engine.config.devices[CARD]!.Policies, ["wan", "dns", "noapi"]);
    await page.goto(new URL(opened[1]!, page.url()).href);
    await page.getByText("This alert is resolved already.").waitFor();
  });
});

Deno.test("channels are accessible in every look, with the receiver's own words", async () => {
  await onRouter({ files: { "base/alert_channels.json": [FAILED] } }, async (stage) => {
    for (const look of LOOKS) {
      const name = `${look.size === PHONE ? "phone" : "desk"}-${look.dark ? "dark" : "light"}`;
      const page = await stage.open({ path: "/admin/alerts", ...look });
      await page.getByRole("tab", { name: "Channels" }).click();
      await page.getByText("Nothing sent yet").waitFor();
      assert.ok(!(await page.content()).includes("secret-path"));
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(page, `alerts-channels-${name}`);
      await page.getByRole("button", { name: "Add e-mail" }).click();
      await page.getByRole("dialog").getByLabel("Sender").waitFor();
      await assertAccessible(page);
      await picture(page, `alerts-channel-${name}`);
      await page.close();
    }
  });
});
