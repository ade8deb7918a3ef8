import { onRouter } from "../../kit/browser/real_stage.ts";

const RULES = "/admin/firewall";

Deno.test("service access is not written over another rule of its name", async () => {
  await onRouter({}, async ({ open, router }) => {
    const rule = { IP: "203.0.113.9", Port: "631", Tags: ["office"] };
    for (
      const body of [
        { ...rule, RuleName: "printing", Protocol: "tcp" },
        { ...rule, RuleName: "printing UDP", Protocol: "udp", Port: "161" },
      ]
    ) await router.ask("PUT", "/firewall/endpoint", { body });
    const page = await open({ path: RULES });
    await page.getByRole("button", { name: "printing", exact: true }).click();
    await page.getByLabel("Protocol").selectOption("TCP and UDP");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByText("The UDP part would be named “printing UDP”").waitFor();
    await page.getByLabel("Protocol").selectOption("UDP");
    await page.getByRole("button", { name: "Preview change" }).click();
    await page.getByRole("button", { name: "Apply this change" }).waitFor();
  });
});
