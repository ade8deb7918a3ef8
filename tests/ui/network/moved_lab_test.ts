import assert from "node:assert/strict";
import { assertAccessible, picture, signIn } from "../../kit/browser/browser.ts";
import { inClient } from "../../kit/browser/client_browser.ts";
import { buildLab, type Lab, UPLINK } from "../../kit/lab/lab.ts";
import { eventually, give } from "../../kit/lab/bed.ts";
import { LAB_PASSWORD, type LabRouter, startRouter } from "../../kit/lab/router.ts";

const OLD = "http://192.168.2.1";
const NEW = "http://10.9.0.1";

/** The client asks for an address until the router knows it by that. */
async function joins(lab: Lab, router: LabRouter, net: RegExp): Promise<void> {
  await eventually("a client gets its address", async () => {
    await lab.dhcp("a");
    return net.test(await lab.address("a") ?? "");
  });
  await eventually("the router has moved the client", async () => {
    const devices = (await router.api("GET", "/devices")).json;
    return net.test(devices[lab.clients[0]!.mac]?.RecentIP ?? "");
  });
}

Deno.test({
  name: "a renumbering under the page's own address is kept from the new one",
  ignore: Deno.uid() !== 0,
  async fn() {
    const lab = await buildLab({ name: "moved", clients: 1 });
    try {
      const router = await startRouter(lab, { services: "dhcpd" });
      try {
        await joins(lab, router, /^192\.168\.2\./);
        await give(router, lab.clients[0]!.mac, { Policies: ["wan"] });
        const origins = [OLD, NEW, `http://${UPLINK}`];
        await inClient({ lab, client: "a", origins }, async (page) => {
          await page.goto(`${OLD}/admin/dhcp`);
          await signIn(page, LAB_PASSWORD);
          await page.getByRole("button", { name: "Edit subnets" }).click();
          await page.getByRole("textbox", { name: "Subnets" }).fill("10.9.0.0/24");
          await page.getByRole("button", { name: "Preview change" }).click();
          await page.getByRole("dialog").getByText(/10\.9\.0\.1/).first().waitFor();
          await page.getByRole("button", { name: "Apply for 90 s" }).click();
          const banner = page.getByRole("region", { name: "Change to confirm" });
          await banner.waitFor();
          await page.reload();
          await banner.waitFor();
          const kept = await page.evaluate(() => sessionStorage.getItem("sluice.confirm") ?? "");
          const { token } = JSON.parse(kept);
          assert.ok(!page.url().includes(token), "no secret in an address");
          assert.ok(!router.process.output.includes(token), "nor in a log");

          // The client follows, with which the router leaves the address of the page.
          await joins(lab, router, /^10\.9\.0\./);
          await banner.getByText("The router answers at 10.9.0.1 now").waitFor();
          assert.equal(await lab.get("a", `${OLD}/`), null, "nobody is at the old address");
          await picture(page, "moved-banner");
          await banner.getByRole("button", { name: "Keep changes" }).click();
          await page.getByText("The router is at 10.9.0.1 now.").waitFor();
          assert.equal((await router.api("GET", "/changes/window")).json.window, null);
          assert.deepEqual((await router.api("GET", "/subnetConfig")).json.TinyNets, [
            "10.9.0.0/24",
          ]);
          assert.equal(await page.evaluate(() => sessionStorage.getItem("sluice.confirm")), null);
          await assertAccessible(page);
          await picture(page, "moved");
          await page.getByRole("link", { name: "Open new address" }).click();
          await page.getByRole("button", { name: "Sign in" }).waitFor();
          assert.equal(new URL(page.url()).origin, NEW);
        });
      } finally {
        await router.close();
      }
    } finally {
      await lab.close();
    }
  },
});

Deno.test({
  name: "an uplink that moves under the page's own address is kept after its 202, or comes back",
  ignore: Deno.uid() !== 0,
  async fn() {
    const lab = await buildLab({ name: "movedup", clients: 1 });
    try {
      const router = await startRouter(lab);
      try {
        const opened = await router.api("PUT", "/firewall/service_port", {
          body: { Protocol: "tcp", Port: "80", UpstreamEnabled: true, Description: "Admin UI" },
        });
        assert.equal(opened.status, 200, opened.text);
        const old = `http://${UPLINK}`, next = "http://203.0.113.9";
        const origins = [old, next, OLD];
        await inClient({ lab, client: "wan", origins }, async (page) => {
          await page.goto(`${old}/admin/network`);
          await signIn(page, LAB_PASSWORD);
          await page.getByRole("button", { name: "wan0" }).click();
          await page.getByLabel("Address (CIDR)").fill("203.0.113.9/24");
          await page.getByRole("button", { name: "Preview change" }).click();
          await page.getByRole("button", { name: "Apply for 90 s" }).click();
          const banner = page.getByRole("region", { name: "Change to confirm" });
          await banner.getByText("The router answers at 203.0.113.9 now")
            .waitFor();
          await banner.getByRole("button", { name: "Keep changes" }).click();
          await page.getByText("The router is at 203.0.113.9 now.").waitFor();
          await page.getByRole("link", { name: "Open new address" }).click();
          await page.getByRole("button", { name: "Sign in" }).waitFor();

          // Once more, and nobody keeps it: the page finds the router where it was.
          await signIn(page, LAB_PASSWORD);
          await page.goto(`${next}/admin/network`);
          await page.getByRole("button", { name: "wan0" }).click();
          await page.getByLabel("Address (CIDR)").fill(`${UPLINK}/24`);
          await page.getByRole("button", { name: "Preview change" }).click();
          await page.getByRole("button", { name: "Apply for 90 s" }).click();
          await banner.getByText(`The router answers at ${UPLINK} now`)
            .waitFor();
          const { id } = (await router.api("GET", "/changes/window")).json.window;
          assert.equal((await router.api("PUT", `/changes/${id}/undo`)).status, 200);
          await banner.waitFor({ state: "detached" });
          assert.equal(await page.getByText("The router is at").count(), 0);
        });
        const links = (await router.api("GET", "/interfacesConfiguration")).json;
        const wan0 = links.find((link: { Name: string }) => link.Name === "wan0");
        assert.equal(wan0.IP, "203.0.113.9/24");
      } finally {
        await router.close();
      }
    } finally {
      await lab.close();
    }
  },
});
