import {
  ServerCertificate,
  type ServerCertificateOptions,
} from "../../system/certificates/server_certificate.ts";
import { wantedNames } from "../../system/certificates/rules.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import { documents } from "../../system/documents.ts";
import type { Config } from "../../system/config.ts";
import { hostNames } from "../http/host_names.ts";

/** Topics of the documents that determine the router's names and addresses. */
const NAMING: readonly string[] = [
  ...[documents.hostName, documents.names, documents.multicast].map(({ topic }) => topic),
  ...[documents.dhcp, documents.interfaces].map(({ topic }) => topic),
];

/** Creates the server certificate for the configured names and the machine's addresses. */
export function openCertificates(
  options: Omit<ServerCertificateOptions, "wanted" | "serve" | "onNamesChange"> & {
    readonly bus: Bus;
    readonly config: () => Config;
    readonly serve: ServerCertificateOptions["serve"] | undefined;
  },
): ServerCertificate {
  const { config, serve, bus, ...others } = options;
  return new ServerCertificate({
    ...others,
    serve: serve ?? (() => Promise.resolve()),
    onNamesChange: (listener) => bus.subscribe(listener, NAMING),
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
