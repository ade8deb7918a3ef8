import { certificateHash } from "../../../system/mesh/certificate_hash.ts";
import { validFor } from "../../../system/certificates/rules.ts";
import { makeCaCertificate, makeCertificate } from "../../../system/certificates/x509.ts";
import { port } from "./mesh_bed.ts";

/** Fields of a device as an existing router stores it. */
const DEVICE = [
  ...["Name", "MAC", "WGPubKey", "VLANTag", "RecentIP", "PSKEntry", "Policies", "Groups"],
  "DeviceTags",
] as const;

/** A router of the existing API, as far as its wire is known: it takes nothing else. */
export interface ExistingPeer extends AsyncDisposable {
  readonly address: string;
  /** The token by which a parent adds it. */
  readonly token: string;
  /** The certificate of its CA. */
  readonly certificate: string;
  /** Requests, as `PUT /devices`, with what was refused. */
  readonly requests: readonly string[];
  /** The credentials of its parent. */
  readonly parent: Readonly<Record<string, string>>;
  readonly devices: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Reports of stations that it took as a parent. */
  readonly reports: readonly Readonly<Record<string, unknown>>[];
}

/** Starts one on `127.0.0.<number>`. `takes`: it takes what a parent sends; else it refuses its credentials. */
export async function existingPeer(number: number, takes = true): Promise<ExistingPeer> {
  const address = `127.0.0.${number}`, token = `existing-token-${number}`;
  const authority = await makeCaCertificate("Existing router", validFor(30, Date.now()));
  const pair = await makeCertificate(authority, {
    ...{ dns: ["router.local"], ip: ["192.168.2.1"], validity: validFor(30, Date.now()) },
  });
  const requests: string[] = [], reports: Record<string, unknown>[] = [];
  let parent: Record<string, string> = {}, isWanted = false, isLeaf = false, isBusy = true;
  let devices: Record<string, Record<string, unknown>> = {};

  function leafRoute(name: string, body: unknown): Response | null {
    switch (name) {
      case "GET /plugins/mesh/leafMode":
        return new Response(String(isLeaf));
      case "GET /version":
        return Response.json("1.1.0");
      case "GET /devices":
        return Response.json(devices);
      case "GET /plugins/mesh/config":
        return Response.json({
          ...{ ParentIP: parent["ParentIP"] ?? "", LeafRouters: [] },
          ParentAPIToken: parent["ParentAPIToken"] ?? "",
        });
      case "PUT /plugins/mesh/setParentCredentials":
        if (!takes) return new Response("Invalid certificate", { status: 400 });
        if (!onlyHas(body, ["ParentIP", "ParentAPIToken", "ParentCA"])) return malformed(name);
        parent = body as Record<string, string>;
        return Response.json(true);
      case "PUT /plugins/mesh/leafMode/enable":
        isWanted = true;
        return Response.json(true);
      case "PUT /restart":
        isLeaf = isWanted;
        return new Response();
      case "PUT /plugins/mesh/setSSID":
        return typeof body === "string" ? new Response() : malformed(name);
      case "PUT /devices": {
        // One sync at a time: another one is still under way when the first comes.
        if (isBusy) {
          isBusy = false;
          return new Response("Busy", { status: 503 });
        }
        const sent = body as Record<string, Record<string, unknown>>;
        const isWhole = Object.values(sent).every((one) => DEVICE.every((field) => field in one));
        if (!isWhole) return malformed(name);
        devices = sent;
        return new Response("Updating devices");
      }
    }
    return null;
  }

  function parentRoute(name: string, body: unknown): Response | null {
    const report = body as Record<string, unknown>;
    const wanted = {
      "PUT /reportPSKAuthSuccess": { Event: ["AP-STA-CONNECTED"] },
      "PUT /reportDisconnect": { Event: ["AP-STA-DISCONNECTED"] },
      "PUT /reportPSKAuthFailure": { Type: ["sae", "wpa"], Reason: ["noentry", "mismatch"] },
    }[name];
    if (wanted === undefined) return null;
    const fits = Object.entries(wanted).every(([field, words]) =>
      (words as readonly unknown[]).includes(report[field])
    );
    // Further fields are ignored, as those of reports always are.
    if (!fits || report["MAC"] === "") return malformed(name);
    reports.push(report);
    return Response.json(report);
  }

  function malformed(name: string): Response {
    requests.push(`refused ${name}`);
    return new Response("Malformed", { status: 400 });
  }

  const server = Deno.serve(
    { hostname: address, port, ...pair, onListen: () => {} },
    async (request) => {
      const name = `${request.method} ${new URL(request.url).pathname}`;
      requests.push(name);
      if (name === "GET /mesh/cert") {
        const bytes = new TextEncoder().encode(authority.cert);
        const hash = certificateHash(bytes, token);
        return new Response(bytes, { headers: { "X-SVC-Mesh-TLS-Hash": hash } });
      }
      if (request.headers.get("authorization") !== `Bearer ${token}`) {
        return new Response(null, { status: 401 });
      }
      const text = await request.text();
      const body: unknown = text === "" ? null : JSON.parse(text);
      return leafRoute(name, body) ?? parentRoute(name, body) ??
        new Response("404 page not found", { status: 404 });
    },
  );
  return {
    ...{ address, token, certificate: authority.cert, requests, reports },
    get parent() {
      return parent;
    },
    get devices() {
      return devices;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function onlyHas(body: unknown, fields: readonly string[]): boolean {
  return Object.keys(body as object).every((field) => fields.includes(field));
}
