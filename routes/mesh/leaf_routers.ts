import * as z from "zod";
import { conflict, notFound } from "../../system/core/errors/problem.ts";
import { leafOf, meantToken, putLeaf, removeLeaf, setLeafToken } from "../../system/mesh/rules.ts";
import {
  type LeafRouter,
  LeafRouterAnswer,
  LeafRouterRequest,
  meshAnswer,
} from "../../system/mesh/schema.ts";
import { ProbeAnswer } from "../../system/mesh/status_schema.ts";
import { compareVersions } from "../../system/mesh/versions.ts";
import type { Probed } from "../../system/mesh/plan_schema.ts";
import { flag, refuseOptions } from "../http/decide.ts";
import { empty } from "../http/answer.ts";
import { type Route, route } from "../http/route.ts";
import type { MeshDeps } from "./deps.ts";
import { checkBefore, checkEncrypts, overlapsWith, wantedLink } from "./join_checks.ts";
import { publicKeyOf } from "../../system/wireguard/keys.ts";
import { callRouter, probeRouter } from "./leaf_calls.ts";
import { previewEffects } from "./previews.ts";

const x509 = () => import("../../system/certificates/x509.ts");

/** Leaf routers of this parent. */
export function leafRouterRoutes(deps: MeshDeps): Route[] {
  const { engine, mesh, versions, log } = deps;
  const common = { tag: "Mesh", access: "auth" } as const;
  const leafRouter = { ...common, path: "/plugins/mesh/leafRouter", document: "mesh" } as const;

  /** Devices that a router would lose by joining: those that are not this router's as well. */
  const lost = ({ Devices }: Probed) =>
    Devices.filter(({ Identity }) => !Object.hasOwn(engine.config.devices, Identity));

  /** Tells a leaf its parent, and turns its leaf mode on. */
  async function join(
    leaf: LeafRouter,
    { LeafMode, LocalAddress, Plain }: Probed,
  ): Promise<void> {
    const Body = {
      ParentIP: LocalAddress,
      ParentAPIToken: await mesh.tokens.reportToken(leaf.IP),
      ParentCA: await mesh.trustedCertificate() ?? "",
      ...(Plain ? {} : {
        ...{ LeafIP: leaf.IP, Link: leaf.Link, PeerKey: publicKeyOf(leaf.TunnelKey) },
      }),
    };
    const path = "/plugins/mesh";
    await callRouter(mesh.service, leaf, {
      Method: "PUT",
      Path: `${path}/setParentCredentials`,
      Body,
    });
    if (!LeafMode) {
      await callRouter(mesh.service, leaf, { Method: "PUT", Path: `${path}/leafMode/enable` });
    }
    // An existing router becomes a leaf when its processes start; they may end before they respond.
    if (Plain && !LeafMode) {
      await callRouter(mesh.service, leaf, { Method: "PUT", Path: "/restart" }).catch((error) =>
        log.info("mesh.leaf_restart", `The leaf router ${leaf.IP} did not confirm its restart`, {
          ...{ leaf: leaf.IP, error },
        })
      );
    }
    mesh.refresh();
  }

  return [
    route({
      ...common,
      method: "GET",
      path: "/plugins/mesh/leafRouters",
      summary: "Leaf routers",
      description: "By their addresses, as this parent reaches them. Tokens read `**`.",
      document: "mesh",
      response: z.array(LeafRouterAnswer),
    }, () => meshAnswer(engine.config.mesh, { vxlan: true, networks: [] }).LeafRouters),
    route({
      ...common,
      method: "PUT",
      path: "/plugins/mesh/probe",
      summary: "Look at a router before it becomes a leaf",
      description:
        "Fetches its certificate, which its token must prove, and says what would happen. `Lost` are the " +
        "devices that it has of its own: when it joins, those of this router take their place. `Overlaps` are " +
        "its LAN subnets that it has to change before. Nothing changes on either router.",
      body: LeafRouterRequest,
      response: ProbeAnswer,
      errors: [502, 503],
    }, async ({ body }) => {
      const token = meantToken(engine.config.mesh, body);
      await checkBefore(deps, body);
      const probed = await probeRouter(mesh.service, { IP: body.IP, APIToken: token });
      return {
        IP: body.IP,
        Fingerprint: await (await x509()).fingerprint(probed.TLSCA),
        Version: probed.Version,
        Relation: compareVersions(`v${versions.program}`, probed.Version),
        LeafMode: probed.LeafMode,
        ClockAhead: probed.ClockAhead,
        Lost: lost(probed),
        Overlaps: [...await overlapsWith(deps, probed)],
        Plain: probed.Plain,
      };
    }),
    route({
      ...leafRouter,
      method: "PUT",
      summary: "Add or update a leaf router",
      description:
        "The leaf is known by its address. Its certificate is fetched and must be proven by its token; from then on the leaf " +
        "is reached by that certificate alone. Its clients come to the network of this router by a VXLAN in a WireGuard tunnel, where " +
        "the kernels of both have VXLAN and their addresses are IPv4. Both draw new keys for the tunnel each time. `TLSCA` stays empty. A router that has devices of its own " +
        "is refused with 409 unless forced, since they go when it joins, and so is one whose LAN subnet overlaps one of this " +
        "router; `/plugins/mesh/probe` lists both. One whose version has no encrypted link is refused with 409 too. A router of the existing API has no " +
        "links: its leaf mode bridges its clients onto the cable, not encrypted, and it is restarted when it joins.",
      body: LeafRouterRequest,
      errors: [409, 412, 502, 503],
    }, async (call) => {
      const { IP } = call.body;
      const APIToken = meantToken(engine.config.mesh, call.body);
      await checkBefore(deps, call.body);
      const probed = await probeRouter(mesh.service, { IP, APIToken });
      const link = await wantedLink(deps, call.body, probed);
      checkEncrypts({ IP, ...link }, probed);
      const gone = lost(probed);
      if (!probed.LeafMode && gone.length > 0 && !flag(call.c, "force")) {
        throw conflict(
          `The router at ${IP} has ${gone.length} devices of its own, which go when it joins; send ` +
            "?force=true if that is meant",
          { devices: gone.slice(0, 100) },
        );
      }
      const overlaps = await overlapsWith(deps, probed);
      if (overlaps.length > 0 && !flag(call.c, "force")) {
        throw conflict(
          `The router at ${IP} serves the LAN subnet ${
            overlaps.join(", ")
          }, which overlaps one of this ` +
            "router. Give it another one until it has joined, or send ?force=true",
        );
      }
      const leaf = { IP, APIToken, TLSCA: probed.TLSCA, Plain: probed.Plain, ...link };
      const isNew = leafOf(engine.config.mesh, IP) === null;
      const response = await call.decide({
        kind: "mesh.leaf-put",
        summary: isNew ? `Added the leaf router ${IP}` : `Updated the leaf router ${IP}`,
        secrets: () => [{ document: "mesh", path: ["LeafRouters", IP, "APIToken"] }],
        reduce: (config) => putLeaf(config, leaf),
      });
      if (!flag(call.c, "dryRun")) {
        mesh.leaves.joined(IP, "");
        await join(leaf, probed).catch((error) => {
          log.warn("mesh.join_failed", `The leaf router ${IP} did not join`, { leaf: IP, error });
          mesh.leaves.joined(IP, error instanceof Error ? error.message : String(error));
        });
      }
      return response;
    }),
    route({
      ...leafRouter,
      method: "DELETE",
      summary: "Remove a leaf router",
      description:
        "It is sent nothing any more. The leaf itself stays in leaf mode until somebody turns that off on it.",
      body: LeafRouterRequest.pick({ IP: true }),
      errors: [404, 409, 412],
    }, async (call) => {
      const { IP } = call.body;
      const response = await call.decide({
        kind: "mesh.leaf-remove",
        summary: `Removed the leaf router ${IP}`,
        reduce: (config) => removeLeaf(config, IP),
      });
      if (leafOf(engine.config.mesh, IP) === null) await mesh.leaves.forget(IP);
      return response;
    }),
    route({
      ...common,
      method: "PUT",
      path: "/plugins/mesh/rotateToken",
      summary: "Replace the token of a leaf router",
      description:
        "Asks the leaf for another token, uses it from then on, and ends the one before. When the leaf is " +
        "lost on the way, its old token still works.",
      body: LeafRouterRequest.pick({ IP: true }),
      decides: true,
      errors: [404, 502, 503],
    }, async ({ c, body, caller }) => {
      const leaf = leafOf(engine.config.mesh, body.IP);
      if (leaf === null) throw notFound(`No leaf router has the address ${body.IP}`);
      if (flag(c, "dryRun")) {
        return await previewEffects(engine, { c, caller }, [
          `The leaf router ${leaf.IP} makes another token, and its token of now ends`,
        ]);
      }
      refuseOptions(c);
      const Path = "/plugins/mesh/leafToken";
      const { Body } = await callRouter(mesh.service, leaf, { Method: "PUT", Path });
      const { Token } = z.object({ Token: z.string().min(16) }).parse(JSON.parse(Body));
      await engine.change({
        kind: "mesh.leaf-token",
        summary: `Replaced the token of the leaf router ${leaf.IP}`,
        secrets: () => [{ document: "mesh", path: ["LeafRouters", leaf.IP, "APIToken"] }],
        reduce: (config) => setLeafToken(config, leaf.IP, Token),
      }, { caller });
      await callRouter(mesh.service, { ...leaf, APIToken: Token }, { Method: "DELETE", Path });
      return empty();
    }),
  ];
}
