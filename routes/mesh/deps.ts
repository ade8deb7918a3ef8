import type { Access } from "../../system/access/open.ts";
import type { ServerCertificate } from "../../system/certificates/server_certificate.ts";
import type { Config } from "../../system/config.ts";
import type { Engine } from "../../system/core/engine/engine.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { Leaves } from "../../system/mesh/leaves.ts";
import type { ParentSync } from "../../system/mesh/parent_sync.ts";
import type { MeshTokens } from "../../system/mesh/tokens.ts";
import type { Tunnels } from "../../system/wireguard/tunnels/tunnels.ts";
import type { Stations } from "../../system/wifi/stations.ts";
import type { ServiceClient } from "../http/service_client.ts";

/** What the mesh has at the api. */
export interface MeshParts {
  readonly leaves: Leaves;
  readonly tokens: MeshTokens;
  /** When the parent of this leaf last sent its devices. */
  readonly parentSync: ParentSync;
  /** The control socket of the process `mesh`. */
  readonly service: ServiceClient;
  /** The certificate that others trust this router by; null without TLS. */
  readonly trustedCertificate: () => Promise<string | null>;
  /** Sends every leaf everything again. */
  readonly refresh: () => void;
}

/** Dependencies of the mesh routes. */
export interface MeshDeps {
  readonly engine: Pick<Engine<Config>, "config" | "change" | "host" | "preview">;
  readonly access: Access;
  readonly stations: Stations;
  readonly mesh: MeshParts;
  /** The control socket of wifid. */
  readonly wifid: ServiceClient;
  readonly machineDeps: { readonly certificates: Pick<ServerCertificate, "isEnabled"> };
  readonly versions: { readonly program: string };
  readonly tunnels: Pick<Tunnels, "isRun">;
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
}
