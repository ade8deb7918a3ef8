import type * as z from "zod";
import type { ServerAnswer } from "../../../system/wireguard/wire.ts";
import type { TestRouter } from "../router.ts";
import { KEY, OTHER_KEY } from "./device_config.ts";

/** Gives a demo home two VPN devices, one of them online, and a site. */
export async function demoVpn(router: TestRouter): Promise<void> {
  const path = "/plugins/wireguard";
  const peer = (body: unknown) => router.json("PUT", `${path}/peer`, { body });
  await peer({ PublicKey: KEY, Name: "Anna’s phone away", Policies: ["wan", "dns"] });
  await peer({ PublicKey: OTHER_KEY, Name: "Work laptop", Policies: ["dns"], Groups: ["office"] });
  await router.json("PUT", `${path}/site`, {
    body: { Name: "Cabin", Networks: ["192.168.7.0/24"], Groups: ["office"] },
  });
  const { PublicKey } = await router.json<z.output<typeof ServerAnswer>>("GET", `${path}/settings`);
  const answer = await router.inside("tunnels", "PUT", "/report", {
    items: [{
      name: "wg0",
      backend: "kernel",
      problem: "",
      listenPort: 51280,
      publicKey: PublicKey,
      peers: [{
        publicKey: KEY,
        endpoint: "198.51.100.77:40312",
        latestHandshake: Math.floor(Date.now() / 1000) - 47,
        rx: 18_300_000,
        tx: 412_000_000,
      }],
    }],
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.body?.cancel();
}
