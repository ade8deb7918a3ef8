import { CertificateKeeper, type KeeperOptions } from "../../system/certificates/keeper.ts";
import { wantedNames } from "../../system/certificates/rules.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import { documents } from "../../system/documents.ts";
import type { Config } from "../../system/config.ts";
import { hostNames } from "../http/host_names.ts";

/** Topics of the documents that say what the router is called and where it is. */
const NAMING: readonly string[] = [
  ...[documents.hostName, documents.names, documents.multicast].map(({ topic }) => topic),
  ...[documents.dhcp, documents.interfaces].map(({ topic }) => topic),
];

/** Keeps the certificate of a router for what its configuration and its machine call it. */
export function openCertificates(
  options: Omit<KeeperOptions, "wanted" | "serve" | "renamed"> & {
    readonly bus: Bus;
    readonly config: () => Config;
    readonly serve: KeeperOptions["serve"] | undefined;
  },
): CertificateKeeper {
  const { config, serve, bus, ...others } = options;
  return new CertificateKeeper({
    ...others,
    serve: serve ?? (() => Promise.resolve()),
    renamed: (listener) =>
      bus.subscribe(({ topic }) => {
        if (NAMING.includes(topic)) listener();
      }),
    wanted: () => {
      const { hostName, multicast, names, dhcp, interfaces } = config();
      return wantedNames({
        names: hostNames({
          hostName: Deno.hostname(),
          chosenName: hostName,
          mdnsName: multicast.MDNSName || null,
          certificateNames: [],
          configured: names,
          setupOpen: false,
        }),
        pools: dhcp.TinyNets,
        fixed: interfaces.map(({ IP }) => IP),
        machine: Deno.networkInterfaces().map(({ address }) => address.split("%")[0]!),
      });
    },
  });
}
