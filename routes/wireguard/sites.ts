import * as z from "zod";
import { siteAnswer } from "../../system/wireguard/answers.ts";
import { siteFile } from "../../system/wireguard/files/client_config.ts";
import { importSite, type SiteImported } from "../../system/wireguard/files/import_rules.ts";
import { leftOutEffects } from "../../system/wireguard/files/left_out.ts";
import { siteFileSecrets, siteSecrets } from "../../system/wireguard/secret_paths.ts";
import { SiteName } from "../../system/wireguard/schema.ts";
import { deleteSite, putSite, type SiteSet } from "../../system/wireguard/sites/site_rules.ts";
import { SiteAnswer, SiteImport, SiteOutcome, SiteRequest } from "../../system/wireguard/wire.ts";
import { type Route, route } from "../http/route.ts";
import {
  drawPresharedKey,
  drawPrivateKey,
  endpointOf,
  otherAddresses,
  VPN,
  type WireguardDeps,
} from "./deps.ts";

/** Sites: other routers whose networks are joined with ours. */
export function siteRoutes(deps: WireguardDeps): Route[] {
  const { engine, tunnels } = deps;
  const path = "/plugins/wireguard/site";

  function made() {
    return {
      privateKey: drawPrivateKey(deps),
      presharedKey: drawPresharedKey(deps),
      peerPrivateKey: drawPrivateKey(deps),
      serverKey: drawPrivateKey(deps),
    };
  }

  function outcome(
    { site, peerPrivateKey, ignored = [] }: SiteSet & Partial<SiteImported>,
  ): z.output<typeof SiteOutcome> {
    const Config = peerPrivateKey === null ? "" : siteFile({
      site,
      privateKey: peerPrivateKey,
      networks: engine.config.dhcp.TinyNets,
      endpoint: site.ListenPort === 0 ? "" : endpointOf(deps, site.ListenPort),
    });
    const Site = siteAnswer(site, tunnels, engine.desired);
    return { Site, Config, Ignored: [...ignored] };
  }

  return [
    route(
      {
        method: "GET",
        path: "/plugins/wireguard/sites",
        ...VPN,
        summary: "Sites, with the state of their tunnels",
        description: "In the order in which they were added. Secrets read `**`.",
        response: z.array(SiteAnswer),
      },
      () => engine.config.wireguard.Sites.map((site) => siteAnswer(site, tunnels, engine.desired)),
    ),
    route({
      method: "PUT",
      path,
      ...VPN,
      summary: "Add a site, or change one",
      description:
        "A site is known by its name; what is missing stays. Its networks must not overlap a LAN " +
        "subnet, an uplink's network or another site: 409 names the two. Without `PeerPublicKey` a " +
        "new site gets keys for both routers, and `Config` of the response is the file for the " +
        "other one, shown once.",
      body: SiteRequest,
      response: SiteOutcome,
      errors: [409, 412],
    }, (call) => {
      const keys = made();
      return call.decide({
        kind: "wireguard.site",
        summary: `Set the site ${call.body.Name}`,
        secrets: () => siteSecrets(call.body),
        reduce: (config) =>
          putSite(config, { request: call.body, made: keys, others: otherAddresses(deps) }),
      }, outcome);
    }),
    route({
      method: "PUT",
      path: `${path}/import`,
      ...VPN,
      summary: "Add a site from the file of the other router",
      description:
        "Reads the configuration file that the other router gave out for this one. Commands such as " +
        "`PostUp` are refused with their line.",
      body: SiteImport,
      response: SiteOutcome,
      errors: [409, 412],
    }, (call) => {
      const keys = made();
      return call.decide({
        kind: "wireguard.site.import",
        summary: `Set the site ${call.body.Name} from a file`,
        secrets: () => siteFileSecrets(call.body.Name),
        reduce: (config) =>
          importSite(config, call.body, { made: keys, others: otherAddresses(deps) }),
        effects: ({ ignored }) => leftOutEffects(ignored),
      }, outcome);
    }),
    route({
      method: "DELETE",
      path,
      ...VPN,
      summary: "Remove a site",
      description: "Takes its tunnel down and removes its routes.",
      body: z.object({ Name: SiteName }),
      response: z.literal(true),
      errors: [404, 409, 412],
    }, ({ body, decide }) =>
      decide({
        kind: "wireguard.site.delete",
        summary: `Removed the site ${body.Name}`,
        reduce: (config) => deleteSite(config, body.Name),
      }, () => true as const)),
  ];
}
