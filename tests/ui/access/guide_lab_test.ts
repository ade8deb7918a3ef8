import assert from "node:assert/strict";
import { inBrowser, picture } from "../../kit/browser/browser.ts";
import { press, tabTo, typeInto } from "../../kit/browser/keyboard.ts";
import { buildLab, INTERNET, PROVIDER, UPLINK } from "../../kit/lab/lab.ts";
import { eventually } from "../../kit/lab/bed.ts";
import { startRouter } from "../../kit/lab/router.ts";

const CHOSEN = "chosen in the guide";

Deno.test({
  name: "from a bare machine to a client in the Internet, with the keyboard alone",
  ignore: Deno.uid() !== 0,
  async fn() {
    const lab = await buildLab({ name: "guide", clients: 2 });
    try {
      const router = await startRouter(lab, { fresh: true, services: "dhcpd" });
      try {
        const [a] = lab.clients;
        const { url } = router.openDoor();
        const written = await Deno.readTextFile(`${router.home}/state/first-start.txt`);
        const code = /password (\S+)/.exec(written)?.[1] ?? "";
        await inBrowser({ origin: url, password: CHOSEN }, async ({ open }) => {
          const page = await open({ signIn: false, path: "/" });
          const title = (name: string) => page.getByRole("heading", { name, level: 1 }).waitFor();
          await title("Set up your router");
          await typeInto(page, page.getByLabel("Setup code"), code);
          await typeInto(page, page.getByLabel("Admin password"), CHOSEN);
          await page.keyboard.press("Enter");

          await title("WAN port");
          const uplink = page.getByRole("radio", { name: /wan0/ });
          await tabTo(page, page.getByRole("radio", { checked: true }));
          for (let i = 0; i < 5 && !await uplink.isChecked(); i++) {
            await page.keyboard.press("ArrowDown");
          }
          await tabTo(page, page.getByLabel("IP address"));
          await page.keyboard.press("ArrowDown");
          await typeInto(page, page.getByLabel("Address (CIDR)"), `${UPLINK}/24`);
          await typeInto(page, page.getByLabel("Gateway"), PROVIDER);
          await press(page, page.getByRole("button", { name: "Use as WAN" }));

          await title("LAN ports");
          for (const { link } of lab.clients) {
            const box = page.getByRole("checkbox", { name: link });
            await tabTo(page, box);
            if (!await box.isChecked()) await page.keyboard.press("Space");
          }
          await press(page, page.getByRole("button", { name: "Start network" }));

          // Nobody had to restart anything: the kernel follows by itself.
          await title("First device");
          await page.getByText("Your network is ready.").waitFor();
          await picture(page, "guide-lab");
          await eventually(
            "a client gets its address",
            async () => (await lab.dhcp("a", ["-x", "hostname:laptop"])).ok,
          );
          assert.match(await lab.address("a") ?? "", /^192\.168\.2\.\d+\/\d+$/);
          const guest = page.getByRole("region", { name: "laptop" });
          await guest.getByText(`on ${a!.link}`).waitFor();
          assert.equal(await lab.tcp("a", INTERNET, 80), "timeout", "it reaches nothing yet");
          await typeInto(page, guest.getByLabel("Name"), "Laptop of the house");
          await press(page, guest.getByRole("button", { name: "Approve" }));
          await guest.getByText("Approved.").waitFor();
          assert.equal(await lab.tcp("a", INTERNET, 80), "open");
          await press(page, page.getByRole("button", { name: "Finish", exact: true }));
          await page.getByRole("heading", { name: "All good" }).waitFor();
        });
        assert.equal(
          await Deno.stat(`${router.home}/state/first-start.txt`).catch(() => null),
          null,
        );
      } finally {
        await router.close();
      }
    } finally {
      await lab.close();
    }
  },
});
