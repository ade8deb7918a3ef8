import type * as z from "zod";
import { Problem } from "../../system/core/errors/problem.ts";
import {
  type LeafCall,
  leafPeer,
  LeafResponse,
  PROBE_REQUESTS,
  Probed,
  type ProbeRequest,
  REQUEST_TIMEOUT_MS,
} from "../../system/mesh/plan_schema.ts";
import type { LeafRouter } from "../../system/mesh/schema.ts";
import { type ServiceClient, succeeded } from "../http/service_client.ts";

/** Milliseconds in which the process `mesh` responds beyond its requests to other routers. */
const OWN_TIME_MS = 15_000;
/** Milliseconds for a call that reaches another router. */
const CALL_TIMEOUT_MS = REQUEST_TIMEOUT_MS + OWN_TIME_MS;
/** The same for a look at a router: a slow one responds to each request in time, and late to all of them. */
const PROBE_TIMEOUT_MS = PROBE_REQUESTS * REQUEST_TIMEOUT_MS + OWN_TIME_MS;

/** Looks at a router that is to become a leaf. Throws Problem 502, 503. */
export async function probeRouter(
  service: ServiceClient,
  body: z.input<typeof ProbeRequest>,
): Promise<Probed> {
  const call = { method: "PUT", path: "/probe", body, timeoutMs: PROBE_TIMEOUT_MS } as const;
  return Probed.parse(await (await succeeded(await service.call(call))).json());
}

/** Calls a route of the mesh on a leaf. Throws Problem 502 where it refuses or is away, 503. */
export async function callRouter(
  service: ServiceClient,
  leaf: LeafRouter,
  call: Pick<LeafCall, "Method" | "Path" | "Body" | "Age">,
): Promise<LeafResponse> {
  const body: LeafCall = { Leaf: leafPeer(leaf), ...call };
  const sent = { method: "PUT", path: "/call", body, timeoutMs: CALL_TIMEOUT_MS } as const;
  const response = LeafResponse.parse(
    await (await succeeded(await service.call(sent))).json(),
  );
  if (response.Status === 200 || response.Status === 202) return response;
  if (response.Status === 403 && !call.Path.startsWith("/plugins/mesh/")) {
    throw new Problem(
      502,
      `The token of the leaf router ${leaf.IP} does not cover this, since an earlier version made it. ` +
        "Replace it with PUT /plugins/mesh/rotateToken",
    );
  }
  throw new Problem(502, `The leaf router ${leaf.IP} refused: ${words(response)}`);
}

function words({ Status, Body }: LeafResponse): string {
  try {
    const { detail } = JSON.parse(Body) as { readonly detail?: unknown };
    if (typeof detail === "string") return detail.slice(0, 500);
  } catch {
    // No problem document.
  }
  return `it responded ${Status}`;
}
