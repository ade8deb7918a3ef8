import assert from "node:assert/strict";
import { eventually, give, withBed } from "../../../kit/lab/bed.ts";
import { must } from "../../../kit/lab/command.ts";
import { certificate, data, dig } from "../../../kit/lab/dig.ts";

const LAN = "192.168.2.1";
const RESOLVER = "198.51.100.53";
/** What the resolver of the lab answers for every name, and so where lists come from. */
const ANSWER = "198.51.100.80";
const BLOCK = "/plugins/dns/block";
const LIST = "http://lists.test:8080/hosts";

Deno.test("block lists are fetched, applied, explained and survive a restart without the Internet", async (t) => {
  const provider = { IPAddress: RESOLVER, TLSHost: "", DisableTls: true };
  const files = { "base/dns.json": { UpstreamProviders: [provider] } };
  await withBed({ name: "dnsblock", router: { services: "dnsd", files } }, async (bed) => {
    const { lab, router, clients: [a, b] } = bed;
    for (const address of [RESOLVER, ANSWER]) {
      await must("ip", ["-n", lab.space("wan"), "address", "add", `${address}/32`, "dev", "lo"]);
    }
    const upstream = lab.deno("wan", "dns/upstream.ts", [RESOLVER]);
    await upstream.line(/^ready$/);
    const folder = `${router.home}/tmp`;
    await Deno.mkdir(folder);
    const [right, wrong] = [
      await certificate(folder, "lists.test"),
      await certificate(folder, "elsewhere.test"),
    ];
    const trusted = await Deno.readTextFile(right.ca) + await Deno.readTextFile(wrong.ca);
    await Deno.writeTextFile(`${router.home}/configs/dns/upstream_ca.pem`, trusted);
    const keys = [right.cert, right.key, wrong.cert, wrong.key];
    const lists = lab.deno("wan", "dns/block_list_server.ts", [ANSWER, `http://${LAN}/`, ...keys]);
    await lists.line(/^ready$/);
    const ask = (name: string, part = "a") => dig(lab, part, LAN, name);
    const put = async (path: string, body?: unknown) => {
      const answer = await router.api("PUT", `${BLOCK}${path}`, body === undefined ? {} : { body });
      assert.equal(answer.status, 200, answer.text);
    };
    const statusOf = async (uri: string) => {
      const { items } = (await router.api("GET", `${BLOCK}/lists`)).json;
      return items.find((one: { uri: string }) => one.uri === uri);
    };
    await give(router, a!.mac, { Policies: ["dns"], Name: "tablet", DeviceTags: ["child"] });
    await give(router, b!.mac, { Policies: ["dns"], Name: "laptop" });
    await eventually("dnsd answers", async () => data(await ask("www.test")) === ANSWER);

    await t.step("a block list applies to the devices with its tags", async () => {
      await put("/blocklists", { URI: LIST, Tags: ["child"], Category: "ads" });
      await eventually("blocked", async () => (await ask("ads.test")).status === "NXDOMAIN");
      assert.equal((await ask("x.ads.test")).status, "NXDOMAIN");
      assert.equal((await ask("xn--bcher-kva.test")).status, "NXDOMAIN");
      assert.equal(data(await ask("bads.test")), ANSWER);
      assert.equal(data(await ask("ads.test", "b")), ANSWER);
      await put("/blocklists", { URI: LIST });
      await eventually("for all", async () => (await ask("ads.test", "b")).status === "NXDOMAIN");
    });

    await t.step("a verdict is explained, and blocked queries are counted", async () => {
      const why = await router.api("GET", `${BLOCK}/explain?name=x.ads.test&client=${a!.IP}`);
      assert.equal(why.json.reason, `Blocked by the list ${LIST}`);
      assert.equal(why.json.client.name, "tablet");
      const { json: metrics } = await router.api("GET", `${BLOCK}/metrics`);
      assert.equal(metrics.BlockedDomains, 2);
      assert.ok(metrics.BlockedQueries >= 4 && metrics.TotalQueries > metrics.BlockedQueries);
      const names = await router.api("GET", `${BLOCK}/dump_domains`);
      assert.deepEqual(names.json, ["ads.test.", "xn--bcher-kva.test."]);
    });

    await t.step(
      "no list is fetched from the LAN or the router itself, by name or by redirect",
      async () => {
        const fetches = lists.output.match(/^fetch /gm)!.length;
        const localUris = ["http://home.test:8080/hosts", "http://lists.test:8080/home"];
        // The router's own address on the Internet.
        for (const uri of [...localUris, "http://203.0.113.2/"]) {
          await put("/blocklists", { URI: uri });
          await eventually(uri, async () => (await statusOf(uri))?.state === "failed");
          assert.match((await statusOf(uri)).error, /not on the Internet/);
        }
        assert.equal(lists.output.match(/^fetch /gm)!.length, fetches + 1);
        const page = "http://lists.test:8080/page";
        await put("/blocklists", { URI: page });
        await eventually(page, async () => (await statusOf(page))?.state === "failed");
        assert.match((await statusOf(page)).error, /web page/);
        assert.equal((await ask("ads.test")).status, "NXDOMAIN");
      },
    );

    await t.step(
      "a list over https is rejected when the certificate has another name",
      async () => {
        await put("/blocklists", { URI: "https://lists.test/tls" });
        await eventually("blocked", async () => (await ask("tls.test")).status === "NXDOMAIN");
        const fetches = lists.output.match(/^fetch /gm)!.length;
        const other = "https://lists.test:444/tls";
        await put("/blocklists", { URI: other });
        await eventually(other, async () => (await statusOf(other))?.state === "failed");
        assert.match((await statusOf(other)).error, /certificate/);
        assert.equal(lists.output.match(/^fetch /gm)!.length, fetches);
      },
    );

    await t.step("an uploaded list applies at once, and a newer upload replaces it", async () => {
      await put("/upload/mine", { Text: "||games.test^\n@@||good.games.test^\n" });
      await eventually("blocked", async () => (await ask("x.games.test")).status === "NXDOMAIN");
      assert.equal(data(await ask("good.games.test")), ANSWER);
      await put("/upload/mine", { Text: "video.test\n" });
      await eventually("another", async () => (await ask("video.test")).status === "NXDOMAIN");
      assert.equal(data(await ask("x.games.test")), ANSWER);
    });

    await t.step(
      "an override that allows a subdomain beats the list, and expires at its second",
      async () => {
        const permit = { Type: "permit", Domain: "fine.ads.test", ClientIP: "*", Expiration: 3 };
        await eventually("permitted", async () => {
          await put("/override", permit);
          return data(await ask("fine.ads.test")) === ANSWER;
        });
        assert.equal((await ask("other.ads.test")).status, "NXDOMAIN");
        await eventually("over", async () => (await ask("fine.ads.test")).status === "NXDOMAIN");
        await eventually("gone", async () => {
          const { json } = await router.api("GET", `${BLOCK}/config`);
          return json.OverrideLists[0].PermitDomains.length === 0;
        });
      },
    );

    await t.step("all lists apply after a restart although no source can be reached", async () => {
      await lists.stop();
      await must("curl", [
        ...["-sS", "-f", "-X", "POST", "--unix-socket"],
        `${router.home}/state/launcher/control.sock`,
        "http://127.0.0.1/processes/dnsd/restart",
      ]);
      await eventually("answers", async () => data(await ask("www.test")) === ANSWER);
      assert.equal((await ask("ads.test")).status, "NXDOMAIN");
      assert.equal((await ask("video.test")).status, "NXDOMAIN");
    });
  });
});
