import type { Context } from "hono";
import * as z from "zod";
import { invalidJwt } from "../../system/access/identity.ts";
import { equalSecret } from "../../system/access/digest.ts";
import { OtpSettings, UserName } from "../../system/access/schema.ts";
import { conflict, Problem } from "../../system/core/errors/problem.ts";
import { isParent } from "../../system/mesh/parent_map.ts";
import {
  LEAF_TOKEN_NAME,
  leafTunnelKey,
  setLeafMode,
  setLeafSsid,
  setParent,
} from "../../system/mesh/rules.ts";
import {
  LeafModeSwitch,
  type LeafRouter,
  ParentCredentialsRequest,
} from "../../system/mesh/schema.ts";
import { LeafTokenAnswer, OtpSyncResult } from "../../system/mesh/status_schema.ts";
import { SentSsid } from "../../system/wifi/radio/settings_schema.ts";
import { identityOf } from "../http/authentication.ts";
import { flag, refuseOptions } from "../http/decide.ts";
import { type Route, route } from "../http/route.ts";
import type { MeshDeps } from "./deps.ts";
import { canLink, drawTunnelKey } from "./link_support.ts";
import { callRouter } from "./leaf_calls.ts";
import { previewEffects } from "./previews.ts";

/** What `PUT /plugins/mesh/syncOTP` takes on a leaf. */
const OtpSync = z.object({
  Token: z.string().max(512).describe("The token of this leaf"),
  Settings: OtpSettings.extend({
    OTPUsers: z.array(z.object({
      Name: UserName,
      Secret: z.string().max(128).regex(/^[A-Z2-7]+=*$/, { error: "Send the secret in base 32" }),
      Confirmed: z.boolean(),
      AlwaysOn: z.boolean(),
    })).max(64),
  }),
}).meta({ id: "OtpSync" });

/** What a parent sends to its leaves, on either side. */
export function leafModeRoutes(deps: MeshDeps): Route[] {
  const { engine, access, mesh } = deps;
  const common = { tag: "Mesh", access: "auth" } as const;
  const path = "/plugins/mesh";

  /** Calls a route on every leaf; one that is away keeps no other from it. */
  async function everyLeaf(
    call: (leaf: LeafRouter) => Parameters<typeof callRouter>[2],
  ): Promise<z.input<typeof OtpSyncResult>> {
    const Leaves = await Promise.all(engine.config.mesh.LeafRouters.map(async (leaf) => {
      try {
        await callRouter(mesh.service, leaf, call(leaf));
        return { IP: leaf.IP, Problem: "" };
      } catch (error) {
        return { IP: leaf.IP, Problem: error instanceof Error ? error.message : String(error) };
      }
    }));
    return { Leaves };
  }

  /**
   * Ids of the tokens of a parent that calls; none for a person, who needs a second factor, as for every
   * API token. Throws Problem 403.
   */
  async function callingParent(c: Context): Promise<readonly string[]> {
    const { principal, otp } = await identityOf(c);
    const tokens = principal?.kind === "token" ? principal.tokens : [];
    const own = tokens.filter(({ name }) => name === LEAF_TOKEN_NAME);
    if (own.length === 0 && !otp) throw invalidJwt();
    return own.map(({ id }) => id);
  }

  return [
    route({
      ...common,
      method: "GET",
      path: `${path}/leafMode`,
      summary: "Whether this router is a leaf",
      description: "A leaf takes its devices from its parent.",
      document: "mesh",
      response: z.boolean(),
    }, () => engine.config.mesh.LeafMode),
    route({
      ...common,
      method: "PUT",
      path: `${path}/leafMode/{mode}`,
      summary: "Turn leaf mode on or off",
      description:
        "`enable` or `disable`. The devices of a leaf are replaced by those of its parent at the next sync, " +
        "as one change of the history. No restart is needed.",
      params: LeafModeSwitch,
      document: "mesh",
      errors: [409, 412],
    }, (call) => {
      const on = call.params.mode === "enable";
      return call.decide({
        kind: "mesh.leaf-mode",
        summary: on ? "Turned leaf mode on" : "Turned leaf mode off",
        reduce: (config) => setLeafMode(config, on),
      });
    }),
    route({
      ...common,
      method: "PUT",
      path: `${path}/setParentCredentials`,
      summary: "Set the parent of this leaf",
      description:
        "Its address, the token that stations are reported with, and the certificate that it is trusted " +
        "by. Sent by the parent. A leaf whose kernel has no VXLAN, or that has no process wireguard for an " +
        "encrypted link, takes no `Link`: it goes on to route the traffic of its clients. It draws a key " +
        "of its own for an encrypted link; `GET /plugins/mesh/config` has the public one.",
      body: ParentCredentialsRequest,
      document: "mesh",
      errors: [409, 412],
    }, async (call) => {
      const { Link, ParentIP } = call.body;
      const isOpen = Link?.Kind === "wireguard" &&
        (!deps.tunnels.isRun || call.body.PeerKey === "");
      const supported = Link !== null && !isOpen && await canLink(engine, ParentIP);
      const parent = { ...call.body, Link: supported ? Link : null };
      const fresh = drawTunnelKey(deps);
      return await call.decide({
        kind: "mesh.parent",
        summary: `Set the parent ${call.body.ParentIP}`,
        // What the parent says again after a start is no change; anyone else would learn of a guess.
        ...(isParent(engine.config, call.caller.by) ? {} : {
          secrets: () => [{ document: "mesh", path: ["ParentCredentials", "ParentAPIToken"] }],
        }),
        reduce: (config) => {
          const TunnelKey = leafTunnelKey(config.mesh.ParentCredentials, parent, fresh);
          return setParent(config, {
            ...parent,
            ...{ TunnelKey, PeerKey: TunnelKey === "" ? "" : parent.PeerKey },
          });
        },
      });
    }),
    route({
      ...common,
      method: "PUT",
      path: `${path}/leafToken`,
      summary: "Make the token by which a parent adds this router",
      description:
        "The token is shown this once. It opens what a parent needs and nothing more. Earlier ones end, but for the one that " +
        "calls. Needs a second factor, unless the parent itself asks.",
      examples: {
        response: { Token: "q0oFhB4oQ2p6yJr1m8yq", Fingerprint: "AB:CD:EF" },
      },
      response: LeafTokenAnswer,
      decides: true,
      errors: [409],
    }, async ({ c, caller }) => {
      const keep = await callingParent(c);
      const certificate = await mesh.trustedCertificate();
      if (certificate === null) {
        throw conflict("Turn HTTPS on first: a parent trusts its certificate");
      }
      if (flag(c, "dryRun")) {
        return await previewEffects(engine, { c, caller }, [
          "Another leaf token is made, and earlier ones end: a parent that has one is refused",
        ]);
      }
      refuseOptions(c);
      const { fingerprint } = await import("../../system/certificates/x509.ts");
      return {
        Token: await mesh.tokens.renewLeaf(keep),
        Fingerprint: await fingerprint(certificate),
      };
    }),
    route({
      ...common,
      method: "DELETE",
      path: `${path}/leafToken`,
      summary: "End the tokens of the parent",
      description:
        "All but the one that calls. Needs a second factor, unless the parent itself asks.",
    }, async ({ c }) => await mesh.tokens.endLeaf(await callingParent(c))),
    route({
      ...common,
      method: "PUT",
      path: `${path}/setSSID`,
      summary: "Give every leaf router one network name",
      description:
        "On a parent: sent to every leaf, and refused with 502 when one of them did not take it. On a leaf: " +
        "set on all of its radios, as one change.",
      body: SentSsid,
      examples: { body: "home" },
      document: "radios",
      errors: [409, 412, 502, 503],
    }, async (call) => {
      const ssid = call.body;
      const response = await call.decide({
        kind: "mesh.ssid",
        summary: "Set the network name of the mesh",
        reduce: (config) => setLeafSsid(config, ssid),
      });
      if (flag(call.c, "dryRun")) return response;
      refuseFailed(
        await everyLeaf(() => ({ Method: "PUT", Path: `${path}/setSSID`, Body: ssid })),
      );
      return response;
    }),
    route({
      ...common,
      method: "PUT",
      path: `${path}/syncOTP`,
      summary: "Share the one-time passwords of the mesh",
      description:
        "With a body, on a leaf: sets its one-time passwords; `Token` must be the leaf's. Without a body, " +
        "on a parent: sends its own to every leaf, and is refused with 502 when one did not take them.",
      body: OtpSync,
      bodyOptional: true,
      decides: true,
      errors: [403, 502, 503],
    }, async ({ c, body, caller }) => {
      if (flag(c, "dryRun")) {
        return await previewEffects(engine, { c, caller }, [
          body === undefined
            ? "The one-time passwords of this router are sent to each leaf router: " +
              `${engine.config.mesh.LeafRouters.map(({ IP }) => IP).join(", ") || "there is none"}`
            : "The one-time passwords of this leaf router become those of its parent",
        ]);
      }
      refuseOptions(c);
      if (body === undefined) {
        const Settings = { OTPUsers: access.otp.users(), JWTDurationSeconds: 0 };
        return refuseFailed(
          await everyLeaf(({ APIToken }) => ({
            Method: "PUT",
            Path: `${path}/syncOTP`,
            Body: { Token: APIToken, Settings },
          })),
        );
      }
      const own = mesh.tokens.leaf;
      if (own === "" || !equalSecret(body.Token, own)) {
        throw new Problem(403, "Token is not the one that this router gave its parent");
      }
      for (const user of body.Settings.OTPUsers) {
        // Names of people who cannot sign in here are of no use here.
        if (!access.accounts.knows(user.Name)) continue;
        if (await access.otp.adopt(user)) await access.accounts.revokeCredentials(user.Name);
      }
    }),
  ];
}

/** Throws Problem 502 where a leaf did not take what was sent. */
function refuseFailed({ Leaves }: z.input<typeof OtpSyncResult>): void {
  const failed = Leaves.filter((leaf) => leaf.Problem !== "");
  if (failed.length === 0) return;
  throw new Problem(
    502,
    failed.map((leaf) => `${leaf.IP}: ${leaf.Problem}`).join("; "),
  );
}
