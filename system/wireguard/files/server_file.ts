import type { Reading, RejectedEntry } from "../../core/config/document.ts";
import { Problem } from "../../core/errors/problem.ts";
import { parseConfigFile } from "./config_file.ts";
import { DEFAULT_PORT, DEFAULT_WIREGUARD, PrivateKey, VpnPeer, Wireguard } from "../schema.ts";

/**
 * Reads the `wg0.conf` of an existing router, as `wg showconf` writes it: its key, port and peers. The
 * addresses of its peers are those of their devices. One whose key is none gets
 * another with its first peer. Null for an
 * empty file. Throws Problem 400.
 */
export function readServerFile(raw: unknown): Reading<Wireguard> | null {
  if (typeof raw !== "string") throw new Problem(400, "The file of WireGuard is text");
  if (raw.trim() === "") return null;
  const { tunnel, peers } = parseConfigFile(raw);
  const rejected: RejectedEntry[] = [];
  const known = new Map<string, VpnPeer>();
  for (const { settings, line } of peers) {
    const text = (name: string): string => settings.get(name)?.text ?? "";
    const secret = text("presharedkey");
    const parsed = VpnPeer.safeParse({
      PublicKey: text("publickey"),
      PresharedKey: secret === "(none)" ? "" : secret,
      PersistentKeepalive: Number(text("persistentkeepalive")) || 0,
    });
    if (parsed.success && !known.has(parsed.data.PublicKey)) {
      known.set(parsed.data.PublicKey, parsed.data);
      continue;
    }
    const message = parsed.success ? "The peer stands twice" : parsed.error.issues[0]!.message;
    rejected.push({ pointer: `/line ${line}`, message, raw: null });
  }
  const key = PrivateKey.safeParse(tunnel.settings.get("privatekey")?.text);
  const port = Wireguard.shape.ListenPort.safeParse(
    Number(tunnel.settings.get("listenport")?.text ?? DEFAULT_PORT),
  );
  const value: Wireguard = {
    ...DEFAULT_WIREGUARD,
    // Without a key it is turned on by its first peer.
    Enabled: key.success,
    PrivateKey: key.data ?? "",
    ListenPort: port.data ?? DEFAULT_PORT,
    Peers: [...known.values()],
  };
  return { value, rejected };
}
