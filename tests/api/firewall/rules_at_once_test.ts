import assert from "node:assert/strict";
import { testRouter } from "../../kit/router.ts";

const PATH = "/firewall/rules";
const forward = (Protocol: string, fields: object = {}) => ({
  RuleName: "Game",
  Protocol,
  SrcPort: "27015",
  DstIP: "192.168.2.6",
  DstPort: "any",
  ...fields,
});

interface Lists {
  readonly ForwardingRules: readonly { readonly Protocol: string }[];
  readonly BlockRules: readonly unknown[];
}

Deno.test("several rules are written and deleted as one change, which one undo reverts", async () => {
  await using router = await testRouter();
  const rules = () => router.json<Lists>("GET", "/firewall/config");
  const Put = { ForwardingRules: [forward("tcp"), forward("udp")] };
  const preview = await router.json<{ reach: unknown }>("PUT", `${PATH}?dryRun=true`, {
    body: { Put },
  });
  assert.ok(preview.reach !== undefined);
  assert.equal((await rules()).ForwardingRules.length, 0);
  const answer = await router.ask("PUT", PATH, { body: { Put } });
  assert.equal(answer.status, 200, await answer.text());
  assert.deepEqual((await rules()).ForwardingRules.map(({ Protocol }) => Protocol), ["tcp", "udp"]);
  const moved = { SrcPort: "27016" };
  const swap = await router.ask("PUT", PATH, {
    body: {
      Delete: Put,
      Put: {
        ForwardingRules: [forward("udp", moved)],
        BlockRules: [{ Protocol: "tcp", SrcIP: "192.168.2.6", DstIP: "198.51.100.0/24" }],
      },
    },
  });
  assert.equal(swap.status, 200, await swap.text());
  const now = await rules();
  assert.deepEqual([now.ForwardingRules.length, now.BlockRules.length], [1, 1]);
  const undo = await router.ask("PUT", `/changes/${swap.headers.get("change-id")}/undo`);
  assert.equal(undo.status, 200, await undo.text());
  const before = await rules();
  assert.deepEqual([before.ForwardingRules.length, before.BlockRules.length], [2, 0]);
});

Deno.test("one rule that is refused keeps all others from being written, and is pointed at", async () => {
  await using router = await testRouter();
  const before = await router.json("GET", "/firewall/config");
  const refused = async (body: unknown): Promise<{ status: number; pointer: string }> => {
    const answer = await router.ask("PUT", PATH, { body });
    const { errors } = await answer.json();
    return { status: answer.status, pointer: errors?.[0]?.pointer };
  };
  assert.deepEqual(
    await refused({
      Put: { ForwardingRules: [forward("tcp"), forward("udp", { SrcPort: "9-8" })] },
    }),
    { status: 400, pointer: "/Put/ForwardingRules/1/SrcPort" },
  );
  const other = { ...forward("tcp"), DstIP: "192.168.2.10" };
  const contrary = { Put: { ForwardingRules: [forward("tcp"), other] } };
  assert.deepEqual(await refused(contrary), { status: 409, pointer: "/Put/ForwardingRules/1" });
  const missing = { Delete: { BlockRules: [{ Protocol: "tcp", SrcIP: "0.0.0.0/0", DstIP: "" }] } };
  assert.equal((await refused(missing)).status, 400);
  const gone = { Delete: { ForwardingRules: [forward("tcp")] } };
  assert.deepEqual(await refused(gone), { status: 404, pointer: "/Delete/ForwardingRules/0" });
  const endpoint = { RuleName: "nas", Domain: "", IP: "192.168.2.6", Port: "445", Tags: ["nas"] };
  assert.deepEqual(
    await refused({
      Put: { Endpoints: ["tcp", "udp"].map((Protocol) => ({ ...endpoint, Protocol })) },
    }),
    { status: 400, pointer: "/Put/Endpoints/1" },
  );
  const many = {
    Put: { MulticastPorts: Array.from({ length: 65 }, (_, n) => ({ Port: `${n + 1}` })) },
  };
  assert.equal((await refused(many)).status, 400);
  assert.deepEqual(await router.json("GET", "/firewall/config"), before);
});
