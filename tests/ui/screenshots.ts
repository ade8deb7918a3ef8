/**
 * Draws the pictures of docs/screenshots/: a demo home behind the whole router, over a model of the
 * kernel. The pages are told that the network is applied, as it is where Sluice is at work.
 */
import type { Page } from "playwright";
import { signIn } from "../kit/browser.ts";
import { DEMO, demoId, fillHome } from "../kit/demo_home.ts";
import { onRouter } from "../kit/real_stage.ts";
import { PASSWORD } from "../kit/router.ts";

const FOLDER = new URL("../../docs/screenshots/", import.meta.url).pathname;

const say = (text: string): unknown => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function shoot(page: Page, name: string): Promise<void> {
  await page.getByText("Live").waitFor();
  await page.waitForLoadState("networkidle");
  await page.mouse.move(0, 0);
  const path = `${FOLDER}${name}.png`;
  await page.screenshot({ path, animations: "disabled" });
  const { size } = await Deno.stat(path);
  say(`docs/screenshots/${name}.png, ${Math.round(size / 1024)} KB`);
}

await Deno.mkdir(FOLDER, { recursive: true });
await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later }) => {
  await fillHome(router, later);
  const page = await open({ signIn: false });
  await page.route(
    "**/network",
    (route) => route.fulfill({ json: { state: "applied", detail: null } }),
  );
  await signIn(page, PASSWORD);
  await page.getByRole("link", { name: "Kids’ tablet" }).waitFor();
  await shoot(page, "devices");
  await page.goto(new URL(`/admin/devices/${encodeURIComponent(demoId(1))}`, page.url()).href);
  await page.getByRole("switch", { name: "Internet", exact: true }).waitFor();
  await shoot(page, "device");
});
