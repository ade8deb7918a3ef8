import { createHash } from "node:crypto";
import type { Config } from "../config.ts";
import { memo } from "../core/config/memo.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { type FeedDeps, type Poll, waitForNews } from "../core/ipc/feed.ts";
import { leafDevices } from "./leaf_devices.ts";
import { leafPeer, type MeshPlan } from "./plan_schema.ts";
import type { MeshTokens } from "./tokens.ts";

/** What {@link createMeshFeed} needs. */
export interface MeshFeedDeps extends FeedDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly meshTokens: Pick<MeshTokens, "reports">;
  /** The certificate that others trust this router by; null without TLS. */
  readonly trustedCertificate: () => Promise<string | null>;
  /** Counts requests to send everything again. */
  readonly refreshes: () => number;
}

/** The feed of plans for the process `mesh`. */
export function createMeshFeed(deps: MeshFeedDeps): Poll<MeshPlan> {
  const { engine, meshTokens, refreshes } = deps;
  const devicesOf = memo((devices: Config["devices"]) => leafDevices({ devices }));
  const plan = memo((
    mesh: Config["mesh"],
    devices: MeshPlan["devices"],
    certificate: string,
    reportTokens: string,
    refresh: number,
  ): MeshPlan => {
    const isParent = !mesh.LeafMode && mesh.LeafRouters.length > 0;
    const content = {
      decided: true,
      leaves: isParent ? mesh.LeafRouters.map(leafPeer) : [],
      // Without a leaf no password leaves the api.
      devices: isParent ? devices : { count: 0, body: "{}", digest: "" },
      certificate,
      reportTokens: isParent ? JSON.parse(reportTokens) as Record<string, string> : {},
      parent: mesh.LeafMode ? parentPeer(mesh) : null,
      refresh,
    };
    const tag = createHash("sha256").update(JSON.stringify(content)).digest("hex");
    return { tag, ...content };
  });
  return async (known) => {
    const certificate = await deps.trustedCertificate().catch(() => null) ?? "";
    // As a text, which is the same while they are.
    const tokens = (): string => JSON.stringify(meshTokens.reports);
    const current = (): MeshPlan => {
      const { mesh, devices } = engine.config;
      return plan(mesh, devicesOf(devices), certificate, tokens(), refreshes());
    };
    await waitForNews(deps, () => current().tag !== known);
    return current();
  };
}

function parentPeer({ ParentCredentials }: Config["mesh"]): MeshPlan["parent"] {
  const { ParentIP, ParentAPIToken, ParentCA, LeafIP } = ParentCredentials;
  return { ParentIP, ParentAPIToken, ParentCA, LeafIP };
}
