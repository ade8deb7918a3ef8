import type { Action } from "../../actions/action.ts";
import type { Answer } from "../../api/client.ts";
import { deviceBody, type NewDevice } from "../devices/add/actions.ts";
import type {
  ClientConfig,
  Dyndns,
  Imported,
  KeyPair,
  Peer,
  Server,
  Site,
  SiteOutcome,
} from "./wire.ts";
import { t } from "../../text/language.ts";

/** Where all of the VPN's routes lie. */
const PATH = "/plugins/wireguard";

/** What takes which way through the tunnel. */
export type Scope = "full" | "split";

/** How a peer is called. */
export function peerName({ Name, PublicKey }: Pick<Peer, "Name" | "PublicKey">): string {
  return Name || `${PublicKey.slice(0, 8)}…`;
}

/** Turns the VPN on or off. */
export function switchVpn(on: boolean, after: () => void): Action {
  return {
    title: on ? t("Preview: VPN on") : t("Preview: VPN off"),
    subject: t("The VPN"),
    sentence: on
      ? t("opens its port on the WAN. Its devices can connect.")
      : t("is taken down, and its port is closed. Devices and keys stay."),
    button: on ? t("Turn on") : t("Turn off"),
    danger: !on,
    done: on ? t("is on.") : t("is off."),
    request: () => ({ method: "PUT", path: `${PATH}/${on ? "up" : "down"}` }),
    after,
  };
}

/** Adds a peer by a key that the page holds; the response is its configuration. */
export function addPeer(
  device: NewDevice,
  keys: KeyPair,
  scope: Scope,
  after: (config: ClientConfig) => void,
): Action {
  const name = device.name.trim();
  return {
    title: t("Preview: add a VPN device"),
    subject: name || t("The new device"),
    sentence: t("can connect to this network from anywhere, with this access."),
    button: t("Add device"),
    done: t("can connect now."),
    request: () => ({
      method: "PUT",
      path: `${PATH}/peer`,
      body: { ...deviceBody(device), PublicKey: keys.PublicKey, Tunnel: scope },
    }),
    after: ({ body }) => after(withKey(body as ClientConfig, keys.PrivateKey)),
  };
}

/** Gives a peer another key. */
export function rotatePeer(
  peer: Peer,
  keys: KeyPair,
  after: (config: ClientConfig) => void,
): Action {
  return {
    title: t("Preview: new key"),
    subject: peerName(peer),
    sentence: t("gets a new key. The old one stops working at once; access and address stay."),
    button: t("Make new key"),
    done: t("has a new key."),
    request: () => ({
      method: "PUT",
      path: `${PATH}/peer/rotate`,
      body: { PublicKey: peer.PublicKey, NewPublicKey: keys.PublicKey },
    }),
    after: ({ body }) => after(withKey(body as ClientConfig, keys.PrivateKey)),
  };
}

/** The configuration with the private key, which the router never got. */
function withKey(config: ClientConfig, key: string): ClientConfig {
  return { ...config, Config: config.Config.replace("<PRIVATE KEY>", key) };
}

/** Revokes a peer. */
export function revokePeer(peer: Peer, after: () => void): Action {
  return {
    title: t("Preview: revoke VPN access"),
    subject: peerName(peer),
    sentence: t("can no longer connect, from this moment on."),
    button: t("Revoke access"),
    danger: true,
    done: t("has no VPN access any more."),
    request: () => ({
      method: "DELETE",
      path: `${PATH}/peer`,
      body: { PublicKey: peer.PublicKey },
    }),
    after,
  };
}

/** What of the tunnel's settings a form holds. */
export type ServerForm = Pick<Server, "ListenPort" | "MTU" | "Endpoints">;

/** Changes the settings of the VPN. */
export function saveServer(body: ServerForm, etag: string | null, after: () => void): Action {
  return {
    title: t("Preview: VPN settings"),
    subject: t("The VPN"),
    sentence: t(
      "runs with these settings. Clients need a new configuration where they name others.",
    ),
    button: t("Save settings"),
    done: t("has new settings."),
    request: () => ({ method: "PUT", path: `${PATH}/settings`, body, ifMatch: etag }),
    after,
  };
}

/** Adds or changes a site. */
export function saveSite(
  body: Readonly<Record<string, unknown>> & { readonly Name: string },
  after: (outcome: SiteOutcome) => void,
): Action {
  const isImport = "Config" in body;
  return {
    title: t("Preview: site"),
    subject: body.Name,
    sentence: t("is joined by a tunnel. Traffic passes by these groups and policies alone."),
    button: t("Save site"),
    done: t("is joined."),
    request: () => ({ method: "PUT", path: `${PATH}/site${isImport ? "/import" : ""}`, body }),
    after: ({ body: outcome }: Answer<unknown>) => after(outcome as SiteOutcome),
  };
}

/** Removes a site. */
export function dropSite({ Name }: Site, after: () => void): Action {
  return {
    title: t("Preview: remove site"),
    subject: Name,
    sentence: t("is no longer joined. Its tunnel and routes are removed."),
    button: t("Remove site"),
    danger: true,
    done: t("was removed."),
    request: () => ({ method: "DELETE", path: `${PATH}/site`, body: { Name } }),
    after,
  };
}

/** Takes over the configuration file of another WireGuard server. */
export function importServer(text: string, after: (result: Imported) => void): Action {
  return {
    title: t("Preview: take over a server"),
    subject: t("The VPN"),
    sentence: t("takes the key, port and devices of this file. Devices get no access yet."),
    button: t("Take over"),
    done: t("has taken the file over."),
    request: () => ({ method: "PUT", path: `${PATH}/import`, body: { Config: text } }),
    after: ({ body }: Answer<unknown>) => after(body as Imported),
  };
}

/** Sets dynamic DNS. */
export function saveDyndns(body: Dyndns, etag: string | null, after: () => void): Action {
  return {
    title: t("Preview: dynamic DNS"),
    subject: t("Dynamic DNS"),
    sentence: body.provider === ""
      ? t("is off. The name stays at its last address.")
      : t("keeps the name at this router's address, at {provider}.", { provider: body.provider }),
    button: t("Save"),
    done: body.provider === "" ? t("is off.") : t("is set."),
    request: () => ({ method: "PUT", path: "/plugins/dyndns/config", body, ifMatch: etag }),
    after,
  };
}
