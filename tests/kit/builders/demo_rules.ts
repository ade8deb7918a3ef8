import type { TestRouter } from "../router.ts";
import { demoId } from "./demo_home.ts";

/** Gives a demo home a few rules and a test of reach, all through its API. */
export async function demoRules(router: TestRouter): Promise<void> {
  const devices = await router.json<Record<string, { RecentIP: string }>>("GET", "/devices");
  const address = (position: number): string => devices[demoId(position)]?.RecentIP ?? "";
  const put = async (path: string, body: unknown): Promise<void> => {
    const answer = await router.ask("PUT", path, { body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    await answer.body?.cancel();
  };
  await put("/firewall/forward", {
    RuleName: "Family photos",
    Protocol: "tcp",
    SrcPort: "443",
    DstIP: address(4),
    DstPort: "8443",
  });
  await put("/firewall/block", {
    RuleName: "Camera calls nobody",
    Protocol: "tcp",
    SrcIP: address(7),
    DstIP: "198.51.100.0/24",
  });
  await put("/firewall/block_forward", {
    RuleName: "No mail from home",
    Protocol: "tcp",
    SrcIP: "0.0.0.0/0",
    DstIP: "0.0.0.0/0",
    DstPort: "25",
    Disabled: true,
  });
  await put("/firewall/endpoint", {
    RuleName: "printing",
    Protocol: "tcp",
    IP: address(5),
    Port: "631",
    Tags: ["school"],
  });
  await put("/reach/tests", {
    Name: "the tablet is online",
    From: demoId(1),
    To: "internet",
    Protocol: "tcp",
    Port: "443",
    Expect: "accept",
  });
}
