/**
 * Draws the pictures of docs/screenshots/ anew: every page of the areas and what opens over them, over
 * a demo home behind the whole router and a model of the kernel. The pages are told that the network
 * is applied, as it is where Sluice is at work, and what traffic it has. Names of pages draw those alone: `screenshots rules`.
 */
import { fileURLToPath } from "node:url";
import type { Page } from "playwright";
import { MENU_PAGES } from "../../ui/shell/menu.ts";
import { DESK, PHONE } from "../kit/browser/browser.ts";
import { DEMO, demoId, fillHome } from "../kit/builders/demo_home.ts";
import { demoResolver } from "../kit/dns/demo_resolver.ts";
import { demoWifi } from "../kit/builders/demo_wifi.ts";
import { demoOverview, demoRates } from "../kit/builders/demo_traffic.ts";
import { demoVpn } from "../kit/builders/demo_vpn.ts";
import { demoRules } from "../kit/builders/demo_rules.ts";
import { answerReads } from "../kit/browser/answered_reads.ts";
import { onRouter, type RealStage } from "../kit/browser/real_stage.ts";
import { reviewEdits } from "../kit/browser/staged_edits.ts";
import { webpEncoder } from "../kit/browser/webp.ts";
import { prepare } from "../kit/run/prepare.ts";

const FOLDER = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
/** Milliseconds that a page may take until nothing of it loads any more. */
const CALM = 3000;

/** A picture: where it is taken, and what is done there first. */
interface Shot {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
}

const TABLET = `/admin/devices/${encodeURIComponent(demoId(1))}`;
const QUESTION = new URLSearchParams({
  from: demoId(1),
  to: demoId(4),
  protocol: "tcp",
  port: "445",
});

const SHOTS: readonly Shot[] = [
  ...MENU_PAGES.map(({ href }) => ({
    name: href === "/admin" ? "home" : href.replace("/admin/", "").replaceAll("/", "-"),
    path: href,
  })),
  { name: "device", path: TABLET },
  { name: "help", path: "/admin/help/firewall" },
  {
    name: "dns-entry",
    path: "/admin/dns?show=blocked",
    act: async (page) => {
      await page.getByRole("button", { name: "ads.games.example.net" }).first().click();
      await page.getByText("Current result").waitFor();
      await page.getByText("Asking the resolver").waitFor({ state: "detached" });
    },
  },
  ...["Networks", "Clients", "Guests"].map((tab): Shot => ({
    name: `wifi-${tab.toLowerCase()}`,
    path: "/admin/wifi",
    act: async (page) => {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForLoadState("networkidle");
    },
  })),
  { name: "add-device", path: "/admin/devices/add" },
  { name: "vpn-add", path: "/admin/vpn/add" },
  { name: "import-devices", path: "/admin/devices/import" },
  { name: "reach-answer", path: `/admin/reach?${QUESTION}` },
  {
    name: "change",
    path: "/admin/changes",
    act: async (page) => {
      await page.locator(".log a").first().click();
      await page.locator(".detail .diff").waitFor();
    },
  },
  {
    name: "preview",
    path: TABLET,
    act: async (page) => {
      await page.getByRole("switch", { name: "Internet", exact: true }).click();
      await reviewEdits(page);
      await page.getByText("Who loses access").waitFor();
    },
  },
  {
    name: "palette",
    path: "/admin/devices",
    act: async (page) => {
      await page.getByText("Kids’ tablet").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("block kids");
      await page.getByRole("option").first().waitFor();
    },
  },
];

const LOOKS = [
  { suffix: "", size: DESK, dark: false },
  { suffix: "-dark", size: DESK, dark: true },
  { suffix: "-phone", size: PHONE, dark: false },
] as const;

const say = (text: string): unknown => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function goTo(page: Page, { path, act }: Shot): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle", { timeout: CALM }).catch(() => {});
  await page.locator('.skeleton[role="status"]').first().waitFor({
    state: "detached",
    timeout: CALM,
  })
    .catch(() => say(`${path} is still loading`));
  await act?.(page);
  await page.mouse.move(0, 0);
}

async function drawAll({ open, browser, router, later }: RealStage): Promise<void> {
  await fillHome(router, later);
  await demoRules(router);
  await demoVpn(router);
  await using _wifid = await demoWifi(router);
  await using _resolver = await demoResolver(router);
  const devices = await (await router.ask("GET", "/devices")).json();
  const addresses = Object.keys(devices).toSorted().map((id): string => devices[id].RecentIP);
  const encoder = await webpEncoder(browser);
  const wanted = SHOTS.filter(({ name }) => Deno.args.length === 0 || Deno.args.includes(name));
  let total = 0;
  for (const { suffix, size, dark } of LOOKS) {
    const page = await open({ size, dark });
    const answers: Readonly<Record<string, unknown>> = {
      "/network": { state: "applied", detail: null },
      "/traffic_rates": demoRates(Date.now()),
      "/traffic_insights/overview": demoOverview(addresses, Date.now()),
    };
    await answerReads(page, (path) => answers[path]);
    for (const shot of wanted) {
      await goTo(page, shot);
      const picture = await encoder.encode(await page.screenshot({ animations: "disabled" }));
      total += picture.length;
      await Deno.writeFile(`${FOLDER}${shot.name}${suffix}.webp`, picture);
      say(`docs/screenshots/${shot.name}${suffix}.webp, ${Math.round(picture.length / 1024)} KB`);
    }
    await page.close();
  }
  await encoder.close();
  say(`${wanted.length * LOOKS.length} pictures, ${Math.round(total / 1024)} KB`);
}

const lack = await prepare(
  { name: "taking pictures", needsRoot: false, packages: ["chromium-headless-shell"] },
  say,
);
if (lack !== null) {
  say(`No pictures can be taken: ${lack.why}`);
  Deno.exit(1);
}
await Deno.mkdir(FOLDER, { recursive: true });
await onRouter({ ...DEMO, host: DEMO.host("wlan0") }, drawAll);
// The browser that tests share would go on.
Deno.exit(0);
