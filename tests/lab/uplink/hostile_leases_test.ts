import assert from "node:assert/strict";
import fc from "fast-check";
import { buildLab } from "../../kit/lab/lab.ts";
import { startNetdIn } from "../../kit/lab/netd.ts";
import { anyHostileState, carry } from "../../kit/lab/hostile_leases.ts";

/** Pairs of states that the kernel is brought through. */
const ROUNDS = 40;

Deno.test("for any leases and files, the kernel accepts every step", async () => {
  const lab = await buildLab({ name: "hostile", clients: 1 });
  try {
    const ends = ["link", "add", "wan1", "type", "veth", "peer", "wan1", "netns", lab.space("wan")];
    await lab.must("router", "ip", ends);
    await lab.must("wan", "ip", ["link", "set", "wan1", "up"]);
    await using netd = await startNetdIn(lab);
    const any = anyHostileState(["wan0", "wan1"]);
    // Each round begins where the last one ended.
    await fc.assert(
      fc.asyncProperty(any, any, async (begin, end) => {
        assert.deepEqual(await carry(netd.host, [begin, end]), []);
      }),
      { numRuns: ROUNDS, endOnFailure: true },
    );
  } finally {
    await lab.close();
  }
});
