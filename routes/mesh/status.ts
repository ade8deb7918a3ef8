import * as z from "zod";
import { servedNetworks } from "../../system/mesh/joining.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { isParent } from "../../system/mesh/parent_map.ts";
import { MeshAnswer, meshAnswer } from "../../system/mesh/schema.ts";
import { MeshStatus } from "../../system/mesh/status_schema.ts";
import {
  FailureEcho,
  StationDisconnect,
  StationEcho,
  StationFailure,
  StationRoamed,
  StationSuccess,
} from "../../system/wifi/schema.ts";
import { type Route, route } from "../http/route.ts";
import { order } from "../wifi/service_call.ts";
import type { MeshDeps } from "./deps.ts";

const x509 = () => import("../../system/certificates/x509.ts");

/** Stations of a leaf, as existing services read them. */
const LeafStations = z.record(
  z.string(),
  z.object({
    LeafIP: z.string(),
    Stations: z.record(z.string(), z.record(z.string(), z.string())),
    Error: z.string().nullable(),
  }),
);

/** How the mesh is, and reports of stations. */
export function meshStatusRoutes(
  { engine, mesh, stations, wifid, machineDeps }: MeshDeps,
): Route[] {
  const common = { tag: "Mesh", access: "auth" } as const;
  const path = "/plugins/mesh";
  const report = { ...common, method: "PUT" } as const;

  async function print(certificate: string | null): Promise<string> {
    if (certificate === null || certificate === "") return "";
    return await (await x509()).fingerprint(certificate).catch(() => "");
  }

  return [
    route({
      ...common,
      method: "GET",
      path: `${path}/config`,
      summary: "Settings of the mesh",
      description:
        "Leaf routers of a parent, or the parent of a leaf. The fields of the parent stand twice, since " +
        "clients read either place. Tokens read `**`.",
      document: "mesh",
      response: MeshAnswer,
    }, async () => {
      const { vxlan } = (await engine.host.facts()).capabilities;
      const networks = servedNetworks(engine.config, vxlan);
      return meshAnswer(engine.config.mesh, { vxlan, networks });
    }),
    route({
      ...common,
      method: "GET",
      path: `${path}/status`,
      summary: "State of the mesh",
      description:
        "Each leaf router with its state, version, clock, notices and Wi-Fi clients, as of the last " +
        "contact, about every ten seconds.",
      response: MeshStatus,
    }, async () => {
      const { LeafMode, LeafRouters, ParentCredentials } = engine.config.mesh;
      const states = mesh.leaves.list();
      const Leaves = await Promise.all(states.map(async (leaf, at) => ({
        ...leaf,
        Fingerprint: await print(LeafRouters[at]?.TLSCA ?? ""),
      })));
      return {
        Role: LeafMode ? "leaf" as const : Leaves.length > 0 ? "parent" as const : "off" as const,
        TLS: await machineDeps.certificates.isEnabled(),
        Fingerprint: await print(await mesh.trustedCertificate()),
        HasLeafToken: mesh.tokens.leaf !== "",
        ParentIP: ParentCredentials.ParentIP,
        SyncedAt: mesh.parentSync.at,
        SyncedDevices: mesh.parentSync.devices,
        Leaves,
      };
    }),
    route({
      ...common,
      method: "GET",
      path: `${path}/allLeafStations`,
      summary: "Stations of all leaf routers",
      description: "By the address of the leaf, as existing services read them.",
      response: LeafStations,
      examples: { response: {} },
    }, () =>
      Object.fromEntries(
        mesh.leaves.list().map(({ IP, Stations, Status, Problem }) => [IP, {
          LeafIP: IP,
          Stations: Object.fromEntries(
            Stations.map(({ MAC, Iface, RSSI }) => [MAC, {
              flags: "[AUTHORIZED]",
              iface: Iface,
              ...(RSSI === null ? {} : { signal: String(RSSI) }),
            }]),
          ),
          Error: Status === "synced" || Status === "behind" ? null : Problem || Status,
        }]),
      )),
    route({
      ...common,
      method: "GET",
      path: `${path}/leafTopologies`,
      summary: "Topology of each leaf router",
      description: "As each leaf sent it at the last contact, and whether it responds.",
      response: z.array(z.object({
        LeafIP: z.string(),
        Online: z.boolean(),
        Topology: z.looseObject({}).nullable(),
      })),
      examples: { response: [] },
    }, () =>
      mesh.leaves.list().map(({ IP, Status }) => ({
        LeafIP: IP,
        Online: Status === "synced" || Status === "behind",
        Topology: mesh.leaves.topology(IP),
      }))),
    route({
      ...report,
      path: `${path}/stationConnect`,
      summary: "Report that a station joined a leaf router",
      description: "As `PUT /reportPSKAuthSuccess`; `Router` is the address of the leaf.",
      body: StationSuccess,
      response: StationEcho,
      errors: [409],
    }, async ({ body }) => {
      const { Iface, Event, MAC, Router } = body;
      const Status = await stations.succeeded(body);
      return { Iface, Event, MAC, Status, Router };
    }),
    route({
      ...report,
      path: `${path}/stationRoamed`,
      summary: "Let a leaf router forget a station",
      description:
        "Sent by a parent to its leaf: the station joined another router `Seconds` ago. Access points that it " +
        "joined before that forget it; nothing is sent to it.",
      body: StationRoamed,
      errors: [403, 502, 503],
    }, async ({ body, caller }) => {
      if (!isParent(engine.config, caller.by)) {
        throw new Problem(403, "Only the parent of a leaf router lets it forget a station");
      }
      await order(wifid, { path: "/stations/forget", body });
    }),
    route({
      ...report,
      path: `${path}/stationConnectFailure`,
      summary: "Report that a station could not join a leaf router",
      description: "As `PUT /reportPSKAuthFailure`; `Router` is the address of the leaf.",
      body: StationFailure,
      response: FailureEcho,
    }, ({ body }) => {
      stations.failed(body);
      return body;
    }),
    route({
      ...report,
      path: `${path}/stationDisconnect`,
      summary: "Report that a station left a leaf router",
      description: "As `PUT /reportDisconnect`; `Router` is the address of the leaf.",
      body: StationDisconnect,
      response: StationEcho,
    }, async ({ body }) => {
      await stations.gone(body);
      const { Iface, Event, MAC, Router } = body;
      return { Iface, Event, MAC, Status: "Okay", Router };
    }),
  ];
}
