import {
  assertAccessible,
  assertNoSidewaysScroll,
  LOOKS,
  PHONE,
  picture,
} from "../../kit/browser/browser.ts";
import { onRouter, type RealStage } from "../../kit/browser/real_stage.ts";

const NAMES = ["Kids’ tablet", "Home server", "TV"];

async function leases({ router }: RealStage): Promise<void> {
  for (const [index, Name] of NAMES.entries()) {
    const MAC = `02:00:5e:00:53:0${index + 1}`;
    const body = { Name, MAC, Policies: ["wan", "dns", "noapi"], Groups: ["family"] };
    await router.ask("PUT", `/device?identity=${MAC}`, { body });
    const sent = { MAC, Identifier: MAC, Name: "x", Iface: "lan0", Router: "" };
    await router.inside("dhcp", "PUT", "/dhcpRequest", sent);
  }
}

Deno.test("the preview of an interface that is repurposed names who loses its connection", async () => {
  await onRouter({}, async (stage) => {
    await leases(stage);
    for (const { size, dark } of LOOKS) {
      const page = await stage.open({ path: "/admin/network", size, dark });
      await page.getByRole("button", { name: "lan0", exact: true }).click();
      await page.getByLabel("Role", { exact: true }).selectOption("Uplink");
      await page.getByRole("button", { name: "Preview change" }).click();
      const effects = page.getByRole("region", { name: "Also changes" });
      await effects.getByText(/^lan0 becomes a WAN uplink: .* lose their connection$/).waitFor();
      for (const name of NAMES) await effects.getByText(name).waitFor();
      const lost = page.getByRole("region", { name: "Who loses access" });
      await lost.getByText("lan0 becomes a WAN uplink").first().waitFor();
      await assertAccessible(page);
      await assertNoSidewaysScroll(page);
      await picture(
        page,
        `effects-${size === PHONE ? "phone" : "desk"}-${dark ? "dark" : "light"}`,
      );
      await page.close();
    }
  });
});
