import assert from "node:assert/strict";
import { privateKey, publicKeyOf } from "../../../system/wireguard/keys.ts";
import { eventually } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import { buildLab, PROVIDER, UPLINK } from "../../kit/lab/lab.ts";

const PORT = { ours: 51_900, theirs: 51_901 };
/** Addresses inside the tunnel. */
const OURS = "10.9.0.1", THEIRS = "10.9.0.2";

Deno.test("a tunnel is created, set, read, cut and deleted, by the kernel where that has WireGuard", async () => {
  const lab = await buildLab({ name: "wglinks", clients: 0 });
  const folder = await Deno.makeTempDir({ prefix: "sluice-tunnel-" });
  try {
    await lab.must("router", "ip", ["address", "add", `${UPLINK}/24`, "dev", "wan0"]);
    await lab.must("router", "ip", ["link", "set", "wan0", "up"]);
    const knows = await must("ip", ["link", "add", "dev", "wgprobe", "type", "wireguard"])
      .then(() => true, () => false);
    if (knows) await must("ip", ["link", "delete", "dev", "wgprobe"]);
    const [mine, other] = [1, 2].map(() => privateKey(crypto.getRandomValues(new Uint8Array(32))));
    // Control sockets are seen from every namespace.
    const start = async (
      part: string,
      link: string,
      end: {
        key: string;
        peer: string;
        port: number;
        address: string;
        allowed: string;
        to: string;
      },
    ) => {
      const file = `${folder}/${link}`;
      await Deno.writeTextFile(
        file,
        `[Interface]\nPrivateKey = ${end.key}\nListenPort = ${end.port}\n[Peer]\n` +
          `PublicKey = ${publicKeyOf(end.peer)}\nAllowedIPs = ${end.allowed}/32\n` +
          `Endpoint = ${end.to}\n`,
        { mode: 0o600 },
      );
      const process = lab.deno(part, "tunnel_end.ts", [link, file]);
      const carrier = await process.line(/^carried by /);
      assert.equal(carrier, `carried by ${knows ? "kernel" : "wireguard-go"}`);
      await lab.must(part, "ip", ["address", "add", `${end.address}/30`, "dev", link]);
      await lab.must(part, "ip", ["link", "set", link, "up"]);
      return process;
    };
    const ours = await start("router", `wgo${Deno.pid}`, {
      ...{ key: mine!, peer: other!, port: PORT.ours, address: OURS, allowed: THEIRS },
      to: `${PROVIDER}:${PORT.theirs}`,
    });
    const theirs = await start("wan", `wgt${Deno.pid}`, {
      ...{ key: other!, peer: mine!, port: PORT.theirs, address: THEIRS, allowed: OURS },
      to: `${UPLINK}:${PORT.ours}`,
    });
    await eventually("the ends reach each other", () => lab.ping("router", THEIRS));
    await ours.line(new RegExp(`^handshake with ${PROVIDER}:${PORT.theirs}$`));
    await theirs.line(new RegExp(`^handshake with ${UPLINK}:${PORT.ours}$`));
    ours.kill("SIGUSR1");
    await ours.line(/^peers 0$/);
    assert.equal(await lab.ping("router", THEIRS), false);
    for (const end of [ours, theirs]) {
      end.kill("SIGTERM");
      await end.line(/^left null$/);
    }
  } finally {
    await lab.close();
    await Deno.remove(folder, { recursive: true });
  }
});
