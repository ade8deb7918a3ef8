import assert from "node:assert/strict";
import { probeRouter } from "../../../routes/mesh/leaf_calls.ts";
import type { ServiceCall } from "../../../routes/http/service_client.ts";
import { CERTIFICATE_HASH_HEADER, certificateHash } from "../../../system/mesh/certificate_hash.ts";
import { probe, type RouterRequest } from "../../../system/mesh/contact/leaf_client.ts";
import { REQUEST_TIMEOUT_MS } from "../../../system/mesh/plan_schema.ts";

const ADDRESS = "192.168.2.2", TOKEN = "a token";

Deno.test("a look at a slow router may last as long as all of its requests", async () => {
  const sent: RouterRequest[] = [];
  const body = new TextEncoder().encode("{}");
  const look = (request: RouterRequest) => {
    sent.push(request);
    const headers: Readonly<Record<string, string>> = {
      [CERTIFICATE_HASH_HEADER]: certificateHash(body, TOKEN),
    };
    return Promise.resolve({
      ...{ status: 200, body, localAddress: "192.168.2.1" },
      header: (name: string) => headers[name] ?? null,
    });
  };
  const call = async ({ timeoutMs }: ServiceCall): Promise<Response> => {
    const probed = await probe(look, { address: ADDRESS, token: TOKEN, now: () => 0 });
    const longest = sent.reduce((sum, one) => sum + (one.timeoutMs ?? REQUEST_TIMEOUT_MS), 0);
    assert.ok(sent.length > 1 && timeoutMs! > longest, `${timeoutMs} ms for ${longest} ms`);
    return Response.json(probed);
  };
  const probed = await probeRouter({ call, close: () => {} }, { IP: ADDRESS, APIToken: TOKEN });
  assert.equal(probed.LocalAddress, "192.168.2.1");
});
