import assert from "node:assert/strict";
import { contactLeaf } from "../../../system/mesh/contact/leaf_contact.ts";
import type { RouterRequest } from "../../../system/mesh/contact/leaf_client.ts";

const IP = "192.168.2.6";

Deno.test("a leaf learns the new address of its parent, and once", async () => {
  let localAddress = "192.168.2.5", parentDigest = "";
  let config: Record<string, unknown> = { LeafMode: true };
  const sent: string[] = [];
  const send = ({ method, path, body }: RouterRequest) => {
    const text = typeof body === "function" ? body(localAddress) : body;
    if (path.endsWith("/setParentCredentials")) {
      const said = JSON.parse(text!) as Record<string, unknown>;
      sent.push(String(said["ParentIP"]));
      config = { ...said, LeafMode: true, ParentCredentials: { Link: said["Link"] } };
    }
    const responses: Record<string, unknown> = {
      "GET /plugins/mesh/leafMode": true,
      "GET /version": "v0.3.0",
      "GET /plugins/mesh/config": config,
    };
    const answer = responses[`${method} ${path}`] ?? {};
    return Promise.resolve({
      ...{ status: 200, header: () => null, localAddress },
      body: new TextEncoder().encode(JSON.stringify(answer)),
    });
  };
  const meet = async (): Promise<void> => {
    const result = await contactLeaf({
      send,
      leaf: { IP, APIToken: "t", TLSCA: "", Link: { Kind: "vxlan", Number: 1 }, OwnKey: "" },
      plan: {
        devices: { count: 0, body: "{}", digest: "" },
        certificate: "a certificate",
        reportTokens: { [IP]: "r" },
      },
      ...{ digest: "", parentDigest, isUntrusted: () => false, now: () => 1 },
    });
    assert.equal(result.report.Linked, true);
    ({ parentDigest } = result);
  };
  await meet();
  await meet();
  assert.deepEqual(sent, ["192.168.2.5"]);
  localAddress = "192.168.7.5";
  await meet();
  await meet();
  assert.deepEqual(sent, ["192.168.2.5", "192.168.7.5"]);
});

Deno.test("a leaf whose port is closed says what to do", async () => {
  const result = await contactLeaf({
    send: () => Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })),
    leaf: { IP, APIToken: "t", TLSCA: "", Link: null, OwnKey: "" },
    plan: { devices: { count: 0, body: "{}", digest: "" }, certificate: "", reportTokens: {} },
    ...{ digest: "", parentDigest: "", isUntrusted: () => false, now: () => 1 },
  });
  assert.equal(result.contact.kind, "unreachable");
  assert.match(result.report.Problem, /port 443: refused\. .*turn HTTPS on there/);
});
