import assert from "node:assert/strict";
import { INTERNET } from "../../kit/lab/lab.ts";
import { eventually, give, withBed } from "../../kit/lab/bed.ts";

const CONNTRACK = "/usr/sbin/conntrack";

Deno.test("while conntrack hangs, changes are answered, and its connections end once it works", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-fake-" });
  const hang = `${folder}/hang`, real = `${folder}/real`, fake = `${folder}/fake`;
  await Deno.copyFile(CONNTRACK, real);
  const script = `#!/bin/sh\nwhile [ -e ${hang} ]; do sleep 0.1; done\nexec ${real} "$@"\n`;
  await Deno.writeTextFile(fake, script, { mode: 0o755 });
  try {
    const router = { covers: { [CONNTRACK]: fake } };
    await withBed({ name: "conntrack", leases: 1, router }, async ({ lab, router, clients }) => {
      const { mac, IP } = clients[0]!;
      const notices = async (): Promise<readonly string[]> =>
        (await router.api("GET", "/notices")).json.items.map((one: { kind: string }) => one.kind);
      // The router's own binary is covered for its processes alone.
      const echoes = () => lab.must("router", CONNTRACK, ["-L", "-p", "icmp", "--src", IP]);
      await give(router, mac, { Policies: ["wan"] });
      const held = await lab.hold("a", INTERNET);
      await lab.must("a", "ping", ["-q", "-c", "1", INTERNET]);
      assert.match(await echoes(), /^icmp /m);

      await Deno.writeTextFile(hang, "");
      await give(router, mac, { Policies: [] });
      assert.equal(await held.breaks(), true, "what the kernel itself ends is ended");
      assert.ok((await notices()).includes("flows-not-flushed"));
      assert.match(await echoes(), /^icmp /m, "the echo is left");
      await give(router, mac, { Policies: ["dns"] });

      await Deno.remove(hang);
      await eventually(
        "it was tried again",
        async () => !(await notices()).includes("flows-not-flushed"),
      );
      assert.doesNotMatch(await echoes(), /^icmp /m);
      await held.close();
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
