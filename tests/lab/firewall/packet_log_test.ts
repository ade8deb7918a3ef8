import assert from "node:assert/strict";
import { type BedClient, eventually, give, withBed } from "../../kit/lab/bed.ts";
import { INTERNET } from "../../kit/lab/lab.ts";

/** A stored event of the packet log, as far as it is looked at. */
interface Logged {
  readonly Prefix: string;
  readonly Action: string;
  readonly InDev: string;
  readonly Rule: string;
  readonly From: string;
  readonly To: string;
  readonly Identity?: string;
  readonly More?: number;
  readonly Ethernet?: { readonly SrcMAC: string };
  readonly IP?: { readonly SrcIP: string; readonly DstIP: string };
  readonly TCP?: { readonly DstPort: number; readonly SYN: boolean };
}

Deno.test("the packet log: drops and first packets as events, a flood counted, off without a trace", async (t) => {
  await withBed({ name: "packets" }, async ({ lab, router, clients }) => {
    const [a, b] = clients as [BedClient, BedClient];
    const set = async (Log: string): Promise<void> => {
      const answer = await router.api("PUT", "/firewall/packet_log", { body: { Log } });
      assert.equal(answer.status, 200, answer.text);
    };
    const logged = async (topic: string): Promise<readonly Logged[]> => {
      const { json } = await router.api("GET", `/plugins/db/items/${topic}?num=1000`);
      return Array.isArray(json) ? json : [];
    };
    const groups = () => lab.must("router", "cat", ["/proc/net/netfilter/nfnetlink_log"]);
    const rules = () => lab.must("router", "nft", ["list", "ruleset"]);
    await give(router, a.mac, { Name: "Laptop", Policies: ["wan"] });
    await give(router, b.mac, { Name: "Phone", Policies: [] });

    await t.step("by default there is no rule that logs, and nobody reads a group", async () => {
      assert.doesNotMatch(await rules(), /\blog\b/);
      assert.equal((await groups()).trim(), "");
    });

    await t.step(
      "a blocked and an allowed connection are events with names and the rule",
      async () => {
        await set("all");
        await eventually(
          "both groups are read",
          async () => (await groups()).trim().split("\n").length === 2,
        );
        assert.equal(await lab.tcp("a", INTERNET, 80), "open");
        assert.equal(await lab.tcp("b", INTERNET, 80), "timeout");
        let [blocked, allowed]: (Logged | undefined)[] = [];
        await eventually("both are stored", async () => {
          allowed = (await logged("nft:wan:out")).find(({ IP }) => IP?.SrcIP === a.IP);
          blocked = (await logged("nft:drop:forward")).find(({ IP }) => IP?.SrcIP === b.IP);
          return allowed !== undefined && blocked !== undefined;
        });
        assert.equal(allowed!.Action, "allowed");
        assert.equal(allowed!.From, "Laptop");
        assert.equal(allowed!.Rule, "Allowed by policy wan (Internet) of Laptop");
        assert.equal(allowed!.Identity, a.mac);
        assert.equal(allowed!.TCP?.DstPort, 80);
        assert.equal(blocked!.Action, "blocked");
        assert.equal(blocked!.Identity, b.mac);
        const why =
          (await router.api("GET", `/reach?from=${b.mac}&to=${INTERNET}&protocol=tcp&port=80`))
            .json;
        assert.equal(blocked!.Rule, why.reason);
        assert.match(blocked!.Rule, /^Blocked: no rule allows Phone to connect to /);
        assert.doesNotMatch(JSON.stringify([blocked, allowed]), /Payload|Contents/);
        // Under the names that existing clients read.
        assert.equal(blocked!.Ethernet?.SrcMAC, b.mac);
        assert.deepEqual(Object.keys(blocked!.IP!).toSorted(), [
          ...["Checksum", "DstIP", "Flags", "FragOffset", "IHL", "Id", "Length", "Protocol"],
          ...["SrcIP", "TOS", "TTL", "Version"],
        ]);
        assert.deepEqual(Object.keys(blocked!.TCP!).toSorted(), [
          ...["ACK", "Ack", "CWR", "Checksum", "DataOffset", "DstPort", "ECE", "FIN", "NS", "PSH"],
          ...["RST", "SYN", "Seq", "SrcPort", "URG", "Urgent", "Window"],
        ]);
      },
    );

    await t.step(
      "a flood is a few events with a count, and the API answers meanwhile",
      async () => {
        await set("drops");
        const flood = lab.exec("b", "ping", ["-q", "-l", "20000", "-c", "20000", "-W", "1", a.IP]);
        const began = performance.now();
        for (let n = 0; n < 5; n++) await router.api("GET", "/firewall/packet_log");
        const each = (performance.now() - began) / 5;
        assert.ok(each < 1500, `a request took ${each} ms`);
        await flood;
        let events: readonly Logged[] = [];
        await eventually("what was held back is counted", async () => {
          events = (await logged("nft:drop:forward")).filter(({ IP }) => IP?.DstIP === a.IP);
          return events.some(({ More = 0 }) => More > 0);
        });
        assert.ok(events.length <= 20, `${events.length} events`);
        const counted = events.reduce((sum, { More = 0 }) => sum + 1 + More, 0);
        const skipped = await router.api("GET", "/plugins/db/items/nft:skipped?num=1000");
        const lost = (Array.isArray(skipped.json) ? skipped.json : [])
          .reduce((sum: number, { count }: { count: number }) => sum + count, 0);
        assert.ok(counted + lost > 10_000, `${counted} counted, ${lost} lost`);
      },
    );

    await t.step(
      "off takes the rules out and closes the socket; a restart changes nothing",
      async () => {
        await set("off");
        assert.doesNotMatch(await rules(), /\blog\b/);
        await eventually("no group is read", async () => (await groups()).trim() === "");
        await set("drops");
        await router.stop("SIGKILL");
        await router.start();
        await eventually("it is read again", async () => (await groups()).trim() !== "");
        await set("off");
        await eventually("no group is read", async () => (await groups()).trim() === "");
      },
    );
  });
});
