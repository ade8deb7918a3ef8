import * as z from "zod";
import { Problem } from "../../system/core/errors/problem.ts";
import type { ServiceCall, ServiceClient } from "../http/service_client.ts";

const Refused = z.object({ detail: z.string() });

/** Milliseconds of a scan of all channels: more than iw is given, also where its radio is brought up first. */
export const SCAN_TIMEOUT_MS = 65_000;

/** What wifid refused in its own words, as against a wifid that is away. */
export class Refusal extends Problem {}

/** Calls wifid and reads its answer. Throws Problem with its refusal, 503 while it does not run. */
export async function ask<T extends z.ZodType>(
  wifid: ServiceClient,
  schema: T,
  call: ServiceCall,
): Promise<z.output<T>> {
  return schema.parse(await (await accepted(wifid, call)).json());
}

/** Lets wifid do something. Throws Problem as {@link ask}. */
export async function order(wifid: ServiceClient, call: ServiceCall): Promise<void> {
  await (await accepted(wifid, { method: "PUT", ...call })).body?.cancel();
}

async function accepted(wifid: ServiceClient, call: ServiceCall): Promise<Response> {
  const response = await wifid.call(call);
  if (response.ok) return response;
  const refusal = Refused.safeParse(await response.json().catch(() => null));
  throw new Refusal(
    response.status,
    refusal.success ? refusal.data.detail : "The Wi-Fi service refused without a reason",
  );
}
