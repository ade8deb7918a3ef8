import assert from "node:assert/strict";
import { contactLeaf } from "../../../system/mesh/contact/leaf_contact.ts";
import { callLeaf, type RouterRequest } from "../../../system/mesh/contact/leaf_client.ts";

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

Deno.test("a leaf that does not show its settings is sent devices only as it was known before", async () => {
  const contact = async (Plain?: boolean) => {
    const sent: string[] = [];
    const send = ({ method, path, body }: RouterRequest) => {
      if (method === "PUT") sent.push(`${path} ${body}`);
      const status = path === "/plugins/mesh/config" ? 500 : 200;
      const answer = path === "/plugins/mesh/leafMode" ? true : {};
      return Promise.resolve({
        ...{ status, header: () => null, localAddress: "192.168.2.5" },
        body: new TextEncoder().encode(JSON.stringify(answer)),
      });
    };
    const leaf = { IP, APIToken: "t", TLSCA: "", Link: null, OwnKey: "" };
    const { report } = await contactLeaf({
      send,
      leaf: Plain === undefined ? leaf : { ...leaf, Plain },
      plan: {
        devices: { count: 1, body: '{"pending":{"Name":"Phone"}}', digest: "d" },
        certificate: "a certificate",
        reportTokens: { [IP]: "r" },
      },
      ...{ digest: "", parentDigest: "", isUntrusted: () => false, now: () => 1 },
    });
    return { sent, report };
  };
  const unknown = await contact();
  assert.deepEqual([unknown.sent, unknown.report.Plain], [[], null]);
  assert.match(unknown.report.Problem, /did not show its settings, so it was sent no devices/);
  const plain = await contact(true);
  assert.match(plain.sent.join(), /^\/devices \{.*"DeviceTags":\[\]/);
  assert.equal(plain.report.Plain, true);
  const own = await contact(false);
  assert.match(own.sent.join(), /^\/devices\?count=1 /);
});

Deno.test("notices of a leaf are told apart by kind and subject", async () => {
  const items = [
    { kind: "disk", detail: "The disk is 91 % full", data: {} },
    { kind: "radio", detail: "wlan0 does not start", data: { subject: "wlan0" } },
    { detail: "Without a kind" },
  ];
  const answers: Record<string, unknown> = {
    "/plugins/mesh/leafMode": true,
    "/notices": { items },
  };
  const { report } = await contactLeaf({
    send: ({ path }) =>
      Promise.resolve({
        ...{ status: 200, header: () => null, localAddress: "" },
        body: new TextEncoder().encode(JSON.stringify(answers[path] ?? {})),
      }),
    leaf: { IP, APIToken: "t", TLSCA: "", Link: null, OwnKey: "" },
    plan: { devices: { count: 0, body: "{}", digest: "" }, certificate: "", reportTokens: {} },
    ...{ digest: "", parentDigest: "", isUntrusted: () => false, now: () => 1 },
  });
  assert.deepEqual(report.Notices.map(({ Key }) => Key), [
    ...['["disk",""]', '["radio","wlan0"]', "Without a kind"],
  ]);
});

Deno.test("a call says how long ago something was when it is sent, not when it was made", async () => {
  let steady = 1000, text = "";
  const send = ({ body }: RouterRequest) => {
    // The leaf is reached after a while.
    steady += 30_600;
    text = typeof body === "function" ? body("") : body ?? "";
    return Promise.resolve({
      ...{ status: 200, header: () => null, localAddress: "", body: new Uint8Array() },
    });
  };
  await callLeaf(send, {
    Leaf: { IP, APIToken: "t", TLSCA: "", Link: null, OwnKey: "" },
    ...{ Method: "PUT", Path: "/plugins/mesh/stationRoamed", Body: { MAC: "m" }, Age: 1500 },
  }, () => steady);
  assert.deepEqual(JSON.parse(text), { MAC: "m", Seconds: 32 });
});
