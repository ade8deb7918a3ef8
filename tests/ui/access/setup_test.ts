import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import type { Peer } from "../../../routes/http/peer.ts";
import { openPackages, type Packages } from "../../../routes/composition/packages.ts";
import { readUi } from "../../../routes/ui.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { openLog } from "../../../system/core/log/log.ts";
import { PROCESSES, SERVICES } from "../../../system/processes.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import {
  assertAccessible,
  assertNoSidewaysScroll,
  DESK,
  inBrowser,
  PHONE,
  picture,
  signIn,
  type Viewer,
} from "../../kit/browser/browser.ts";
import { press, tabTo, typeInto } from "../../kit/browser/keyboard.ts";
import { basic, type TestRouter, testRouter } from "../../kit/router.ts";
import { answerReads } from "../../kit/browser/answered_reads.ts";

const DIST = fileURLToPath(new URL("../../../ui/dist", import.meta.url));
const CHOSEN = "the chosen password";
const MAC = "02:00:00:00:00:0a";

interface Fresh extends Viewer {
  readonly router: TestRouter;
  readonly code: string;
  /** Lets every later request come as if from there to that address of the router. */
  sitAt(source: string, address: string): void;
}

/** A router that nobody has set up, on a model of a machine with three links. */
async function onFresh(
  given: {
    readonly password: string | null;
    /** Debian packages that the machine lacks. */
    readonly lacks?: readonly string[];
    readonly installs?: boolean;
  },
  test: (fresh: Fresh) => Promise<void>,
): Promise<void> {
  const announced: string[] = [];
  await using router = await testRouter({
    adminPassword: given.password,
    host: memoryHost({ links: ["lan0", "lan1", "wan0"] }),
    files: { "base/interfaces.json": [] },
    machine: { packages: lackingPackages(given) } as never,
    access: {
      watch: false,
      announce: (secret) => {
        announced.push(secret);
        return Promise.resolve(null);
      },
    },
    app: {
      ui: await readUi(DIST),
      versions: { api: "0.3.0", program: "0.0.0" },
      names: () => new Set(),
    },
  });
  let peer: Peer = { source: "127.0.0.1", port: 40000, local: null, tls: false };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => router.external.fetch(request, { peer }),
  );
  try {
    const origin = `http://127.0.0.1:${server.addr.port}`;
    await inBrowser(
      { origin, password: CHOSEN },
      (viewer) =>
        test({
          ...viewer,
          router,
          code: announced[0] ?? "",
          sitAt(source, address) {
            peer = { ...peer, source, local: { address, port: server.addr.port } };
          },
        }),
    );
  } finally {
    router.endStreams();
    await server.shutdown();
  }
}

/** What the real processes need, of which some are missing. */
function lackingPackages(
  { lacks = [], installs = true }: { lacks?: readonly string[]; installs?: boolean },
): Packages {
  return openPackages({
    processes: PROCESSES,
    settings: { network: "auto", services: SERVICES, install: installs },
    launcher: { start: () => Promise.reject(new Error()), list: () => Promise.resolve([]) },
    launchedByRoot: () => Promise.resolve(true),
    query: (names) =>
      Promise.resolve(
        names.filter((name) => !lacks.includes(name))
          .map((name) => `${name} install ok installed`).join("\n"),
      ),
    notices: () => undefined,
    bus: new Bus(),
    log: openLog({ process: "test", human: false, write: () => {} }),
  });
}

const title = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

Deno.test("setup works by keyboard alone: admin, interfaces and the first device", async () => {
  await onFresh({ password: null }, async ({ open, router, code }) => {
    const page = await open({ signIn: false, path: "/" });
    await title(page, "Set up your router");
    await assertAccessible(page);

    // The admin: each refusal stands at its field, and what was typed stays.
    await typeInto(page, page.getByLabel("Setup code"), "aaaaa-bbbbb");
    await typeInto(page, page.getByLabel("Admin password"), CHOSEN);
    await page.keyboard.press("Enter");
    await page.getByText("Wrong setup code").waitFor();
    await typeInto(page, page.getByLabel("Setup code"), code);
    await typeInto(page, page.getByLabel("Admin password"), "short");
    await page.keyboard.press("Enter");
    await page.getByText("Use at least 8 characters").waitFor();
    await typeInto(page, page.getByLabel("Admin password"), CHOSEN);
    await page.keyboard.press("Enter");

    // The uplink, with a fixed address whose gateway is wrong at first.
    await title(page, "WAN port");
    await assertAccessible(page);
    const uplink = page.getByRole("radio", { name: /wan0/ });
    await tabTo(page, page.getByRole("radio", { checked: true }));
    while (!await uplink.isChecked()) await page.keyboard.press("ArrowDown");
    await tabTo(page, page.getByLabel("IP address"));
    await page.keyboard.press("ArrowDown");
    await typeInto(page, page.getByLabel("Address (CIDR)"), "203.0.113.2/24");
    await typeInto(page, page.getByLabel("Gateway"), "198.51.100.1");
    await page.keyboard.press("Enter");
    await page.getByText(/is outside the network/).waitFor();
    await typeInto(page, page.getByLabel("Gateway"), "203.0.113.1");
    await press(page, button(page, "Use as WAN"));

    // The downlinks: a network that the uplink has already is refused, and a free one offered.
    await title(page, "LAN ports");
    await picture(page, "guide-home-step");
    const lan1 = page.getByRole("checkbox", { name: "lan1" });
    await tabTo(page, lan1);
    if (!await lan1.isChecked()) await page.keyboard.press("Space");
    await typeInto(page, page.getByLabel("LAN subnet"), "10.9.0.0/16");
    await assertAccessible(page);
    await press(page, button(page, "Start network"));

    // The first device shows up by itself, and is let in.
    await title(page, "First device");
    await page.getByText("In demo mode no device can connect.").waitFor();
    assert.equal(await page.getByText("Waiting for a device").count(), 0);
    const { config } = router.engine;
    assert.deepEqual(config.dhcp.TinyNets, ["10.9.0.0/16"]);
    const uplinkNow = config.interfaces.find(({ Name }) => Name === "wan0");
    assert.deepEqual([uplinkNow?.Type, uplinkNow?.IP, uplinkNow?.Router], [
      "Uplink",
      "203.0.113.2/24",
      "203.0.113.1",
    ]);
    assert.equal((await router.ask("GET", "/setup", { as: null })).status, 400, "setup is over");
    assert.equal(config.multicast.DisableMDNSAdvertise, true);
    await router.inside("dhcp", "PUT", "/dhcpRequest", {
      MAC,
      Iface: "lan1",
      Name: "laptop",
    });
    const guest = page.getByRole("region", { name: "laptop" });
    await guest.getByText("on lan1").waitFor();
    await assertAccessible(page);
    await picture(page, "guide-device");
    await page.setViewportSize(PHONE);
    assert.ok(await guest.getByText("on lan1").isVisible(), "a phone says which one it is, too");
    await assertNoSidewaysScroll(page);
    await page.setViewportSize(DESK);
    await typeInto(page, guest.getByLabel("Name"), "Anna’s laptop");
    await press(page, guest.getByRole("button", { name: "Approve" }));
    await guest.getByText("Approved.").waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("Approved."));
    assert.deepEqual(router.engine.config.devices[MAC]?.Policies, ["wan", "dns", "noapi"]);
    assert.equal(router.engine.config.devices[MAC]?.Name, "Anna’s laptop");
    await press(page, button(page, "Finish"));
    await title(page, "All good");

    // The guide, opened again, leaves what is decided as it is.
    await page.goto(new URL("/admin/setup", page.url()).href);
    const again = page.getByRole("region", { name: "Anna’s laptop" });
    await again.getByText("Already approved.").waitFor();
    assert.equal(await button(page, "Approve").count(), 0);
    await again.getByRole("link", { name: "View device" }).click();
    await title(page, "Anna’s laptop");
    const known = await router.ask("GET", "/status", { as: basic("admin", CHOSEN) });
    assert.equal(await known.json(), "Online");
  });
});

Deno.test("the setup guide continues although a reload of the interfaces is due first", async () => {
  await onFresh({ password: CHOSEN }, async ({ open }) => {
    const page = await open({ path: "/admin" });
    await page.clock.install();
    await page.goto(new URL("/admin/setup", page.url()).href);
    await title(page, "WAN port");
    await page.getByRole("radio", { name: /wan0/ }).check();
    const requested = Promise.withResolvers<void>(), answer = Promise.withResolvers<void>();
    let holds = false;
    // By itself, or together with other reads.
    await page.route(/\/interfacesConfiguration|%2FinterfacesConfiguration/, async (route) => {
      if (holds) {
        holds = false;
        requested.resolve();
        await answer.promise;
      }
      await route.continue();
    });
    page.on("request", (request) => holds ||= request.url().includes("/link/config"));
    await button(page, "Use as WAN").click();
    await requested.promise;
    await page.clock.fastForward(10_000);
    answer.resolve();
    await title(page, "LAN ports");
  });
});

Deno.test("the setup guide resumes after a reload, on a phone", async () => {
  await onFresh({ password: null }, async ({ open, router, code }) => {
    const file = `${router.home}/state/first-start.txt`;
    await Deno.writeTextFile(file, "the code\n");
    const page = await open({ signIn: false, path: "/", size: PHONE, dark: true });
    await title(page, "Set up your router");
    await page.getByText(`On the router in ${file}`).waitFor();
    await assertAccessible(page);
    await picture(page, "setup-phone-dark");
    await page.getByLabel("Setup code").fill(code);
    await page.getByLabel("Admin password").fill(CHOSEN);
    // The answer to the sign-in is lost: the code is used up and the password holds.
    await page.route("**/auth/login", (route) => route.abort(), { times: 1 });
    await button(page, "Next").click();
    await title(page, "Sign in");
    await page.getByText("The password is saved. Sign in with it.").waitFor();
    await signIn(page, CHOSEN);
    await page.getByRole("link", { name: "Continue" }).click();
    await title(page, "WAN port");
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await page.reload();
    await title(page, "WAN port");
    assert.equal(await page.getByLabel("Setup code").count(), 0, "neither code nor password again");
    assert.deepEqual(router.engine.config.interfaces, []);
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    assert.ok(!kept.includes(code) && !kept.includes(CHOSEN), "no secret in the browser");
    await page.getByRole("radio", { name: /wan0/ }).check();
    await button(page, "Use as WAN").click();
    await title(page, "LAN ports");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.reload();
    await title(page, "LAN ports");
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await picture(page, "guide-home-step-phone-dark");
    // Away and back: Home says what is missing.
    await page.goto(new URL("/admin", page.url()).href);
    await page.getByRole("link", { name: "Continue" }).click();
    await title(page, "LAN ports");
  });
});

Deno.test("the setup guide starts at the interfaces when the admin password is set", async () => {
  await onFresh({ password: CHOSEN }, async ({ open, router }) => {
    const page = await open({ path: "/admin" });
    await page.getByRole("link", { name: "Continue" }).click();
    await title(page, "WAN port");
    await page.getByRole("radio", { name: /Other interface/ }).check();
    await button(page, "Use as WAN").click();
    await page.getByText("Enter the interface name, for example eth0").waitFor();
    await page.getByLabel("Interface name").fill("w;x");
    await button(page, "Use as WAN").click();
    await page.locator("[aria-invalid=true]").waitFor();
    assert.deepEqual(router.engine.config.interfaces, []);
    await page.getByLabel("Interface name").fill("wan0");
    await button(page, "Use as WAN").click();
    await title(page, "LAN ports");
    // Another uplink takes the place of the one that was chosen first.
    await button(page, "Back").click();
    await page.getByRole("radio", { name: /lan0/ }).check();
    await button(page, "Use as WAN").click();
    await title(page, "LAN ports");
    const types = router.engine.config.interfaces.map(({ Name, Type }) => [Name, Type]);
    assert.deepEqual(types, [["wan0", "Other"], ["lan0", "Uplink"]]);
  });
});

Deno.test("the setup guide warns that the page will lose its connection, and can keep the port open", async () => {
  await onFresh({ password: CHOSEN }, async ({ open, router, origin, sitAt }) => {
    const page = await open({ path: "/admin/setup" });
    await page.getByRole("radio", { name: /wan0/ }).check();
    await page.getByLabel("IP address").selectOption("fixed");
    await page.getByLabel("Address (CIDR)").fill("203.0.113.2/24");
    await page.getByLabel("Gateway").fill("203.0.113.1");
    await button(page, "Use as WAN").click();
    await title(page, "LAN ports");
    sitAt("203.0.113.50", "203.0.113.2");
    await button(page, "Start network").click();
    await page.getByText("This page will lose its connection.").waitFor();
    await page.getByText("open http://192.168.2.1/").waitFor();
    await assertAccessible(page);
    await picture(page, "guide-own-way");
    const links = () => router.engine.config.interfaces.map(({ Type }) => Type);
    assert.deepEqual(links(), ["Uplink"], "nothing has started");
    await page.getByLabel("Allow the web UI on WAN").check();
    await button(page, "Start network anyway").click();
    await title(page, "First device");
    assert.ok(links().includes("Downlink"));
    const port = new URL(origin).port;
    const opened = router.engine.config.firewall.ServicePorts.find(({ Port }) => Port === port);
    assert.equal(opened?.UpstreamEnabled, true);
    const own = `/reach?from=203.0.113.50&to=203.0.113.2&protocol=tcp&port=${port}`;
    const as = basic("admin", CHOSEN);
    const { verdict } = await router.json<{ verdict: string }>("GET", own, { as });
    assert.equal(verdict, "accept");
  });
});

Deno.test("the guide says which packages it installs and why, before anything is applied", async () => {
  const lacks = ["nftables", "conntrack", "udhcpc", "ppp", "procps", "hostapd", "wireguard-go"];
  await onFresh({ password: CHOSEN, lacks }, async ({ open }) => {
    const page = await open({ path: "/admin/setup" });
    await page.getByRole("radio", { name: /wan0/ }).check();
    await button(page, "Use as WAN").click();
    await title(page, "LAN ports");
    await page.getByText("These Debian packages are installed first:").waitFor();
    await page.getByText("What for").click();
    await page.getByText("loads the firewall rules").waitFor();
    await page.getByText("uplinkd: finds running sessions again (ps)").waitFor();
    await assertAccessible(page);
    await picture(page, "guide-packages");
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: "dark" });
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await picture(page, "guide-packages-phone-dark");

    // Meanwhile the network is still a model, which is not demo mode.
    const packages = await page.evaluate(async () => await (await fetch("/packages")).json());
    await answerReads(
      page,
      (path) => path === "/packages" ? { ...packages, installing: true } : undefined,
    );
    await button(page, "Start network").click();
    await title(page, "First device");
    await page.getByText("your network starts afterwards").waitFor();
    await page.getByText("Installing Debian packages.").waitFor();
    assert.equal(await page.getByText("Demo mode").count(), 0);
    await assertNoSidewaysScroll(page);
    await assertAccessible(page);
    await picture(page, "guide-installing");
  });
});

Deno.test("where nothing may be installed, the guide has the command", async () => {
  const given = { password: CHOSEN, lacks: ["ppp", "iw"], installs: false };
  await onFresh(given, async ({ open }) => {
    const page = await open({ path: "/admin/setup" });
    await page.getByRole("radio", { name: /wan0/ }).check();
    await button(page, "Use as WAN").click();
    await title(page, "LAN ports");
    await page.getByText("apt-get install ppp iw").waitFor();
    await assertAccessible(page);
    await picture(page, "guide-packages-by-hand");
  });
});

Deno.test("the preview of the first application says so, and what is installed", async () => {
  await onFresh({ password: CHOSEN, lacks: ["conntrack", "ppp"] }, async ({ open, router }) => {
    const as = basic("admin", CHOSEN);
    const body = { Name: "wan0", Type: "Uplink", Enabled: true };
    assert.equal((await router.ask("PUT", "/link/config", { as, body })).status, 200);
    const page = await open({ path: "/admin/network" });
    await button(page, "lan0").click();
    await button(page, "Preview change").click();
    const first = page.getByRole("region", { name: "Starts the network" });
    await first.getByText("connects PPPoE accounts").waitFor();
    assert.equal(await page.getByText("Demo mode: the change is saved").count(), 0);
    await assertAccessible(page);
    await picture(page, "preview-first-apply");
  });
});
