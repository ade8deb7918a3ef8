import assert from "node:assert/strict";
import { LookupClient } from "../../../system/lookup/client.ts";
import type {
  AsnResult,
  Classification,
  ClassificationEvent,
  DatasetStatus,
} from "../../../system/lookup/schema.ts";
import { eventually } from "../../kit/eventually.ts";
import { startTestLookup } from "../../kit/builders/lookup_data.ts";
import { testRouter } from "../../kit/router.ts";

const PATH = "/plugins/lookup";

Deno.test("lookups answer networks, countries and vendors in the order of the list", async (t) => {
  await using router = await testRouter();
  await using _lookup = await startTestLookup(router.home);
  const get = <T>(path: string): Promise<T> => router.json<T>("GET", `${PATH}${path}`);

  await t.step("of one address", async () => {
    assert.deepEqual(await get("/asn/1.0.0.7"), {
      IP: "1.0.0.7",
      ASN: 64496,
      Name: "Example, Inc.",
      Country: "AU",
    });
    assert.deepEqual(await get("/asn/2606:4700:0::1"), {
      IP: "2606:4700::1",
      ASN: 64496,
      Name: "Example, Inc.",
      Country: "US",
    });
    assert.equal((await router.ask("GET", `${PATH}/asn/nonsense`)).status, 404);
    assert.deepEqual(await get("/oui/00:00:0C:01:02:03"), {
      MAC: "00:00:0C:01:02:03",
      Vendor: "Cisco Systems, Inc",
    });
    assert.equal((await router.ask("GET", `${PATH}/oui/02:00:0c:01:02:03`)).status, 404);
  });

  await t.step("of many, one entry each, whatever it is", async () => {
    const requested = [
      ...["1.1.1.1", "nonsense", "192.168.2.6", "224.0.0.251", "fe80::1%25eth0", "203.0.113.9"],
      ...["::ffff:1.0.0.1", "9.9.200.1", "1.1.1.1"],
    ];
    const found = await get<AsnResult[]>(`/asns/${requested.join(",")}`);
    assert.deepEqual(found.map(({ ASN, Country }) => [ASN, Country]), [
      ...[[64497, "DE"], [0, ""], [0, ""], [0, ""], [0, ""], [0, ""]],
      ...[[64496, "AU"], [64498, "FR"], [64497, "DE"]],
    ]);
    assert.equal(found[4]!.IP, "fe80::1");
    assert.deepEqual(await get("/ouis/0000.0c01.0203,zz,02:00:00:00:00:01,ff:ff:ff:ff:ff:ff"), [
      { MAC: "0000.0c01.0203", Vendor: "Cisco Systems, Inc" },
      { MAC: "zz", Vendor: "" },
      { MAC: "02:00:00:00:00:01", Vendor: "" },
      { MAC: "ff:ff:ff:ff:ff:ff", Vendor: "" },
    ]);
  });

  await t.step("ten thousand at a time, and no more", async () => {
    const many = (count: number) => Array<string>(count).fill("1.1.1.1").join(",");
    assert.equal((await get<AsnResult[]>(`/asns/${many(10_000)}`)).length, 10_000);
    assert.equal((await router.ask("GET", `${PATH}/asns/${many(10_001)}`)).status, 413);
  });

  await t.step("networks are found by number and name", async () => {
    const third = { ASN: 64498, Name: "Third Networks", Country: "DE", RangeCount: 1 };
    assert.deepEqual(await get("/asn_search/AS64498"), [third]);
    assert.deepEqual(await get("/asn_search/third"), [third]);
    assert.deepEqual(await get("/asn_search/nothing"), []);
    assert.equal((await router.ask("GET", `${PATH}/asn_search/x`)).status, 400);
  });
});

Deno.test("a table is replaced by a data file, and by nothing else", async () => {
  await using router = await testRouter();
  await using _lookup = await startTestLookup(router.home);
  const status = async (): Promise<DatasetStatus> =>
    (await router.json<{ items: DatasetStatus[] }>("GET", `${PATH}/tables`)).items
      .find(({ Dataset }) => Dataset === "country")!;
  const put = async (body: unknown): Promise<number> =>
    (await router.ask("PUT", `${PATH}/tables/country`, { body })).status;
  const country = async (): Promise<string> =>
    (await router.json<AsnResult>("GET", `${PATH}/asn/1.1.1.1`)).Country;

  const before = await status();
  assert.deepEqual([before.Rows, before.Source], [7, "@ip-location-db/asn-country@1.0.0"]);
  assert.equal(before.Attribution[0]!.Name, "NRO");
  for (
    const body of [
      {},
      { Text: "" },
      { Text: "<html>\n" },
      { Text: "1.1.1.0,1.1.1.255,FR\n" },
      { Text: "1.0.0.0,1.0.0.255,AU\n", URI: "https://data.example/x" },
      { URI: "file:///etc/passwd" },
      { URI: "http://127.0.0.1/x" },
      { URI: "http://192.168.2.1/x" },
      { URI: "http://[::1]/x" },
      { URI: "upload:mine" },
    ]
  ) {
    assert.equal(await put(body), 400, JSON.stringify(body));
  }
  assert.equal(await country(), "DE");
  assert.match((await status()).Error, /less than half/);

  const lines = ["1.0.0.0,1.0.0.255,AU", "1.1.1.0,1.1.1.255,FR", "9.9.0.0,9.9.9.255,DE"];
  assert.equal(await put({ Text: `${lines.join("\n")}\n` }), 200);
  assert.equal(await country(), "FR");
  const after = await status();
  assert.deepEqual([after.Rows, after.Source, after.Error], [5, "uploaded file", ""]);

  await router.ask("DELETE", `${PATH}/tables/country`);
  assert.equal(await country(), "DE");
});

Deno.test("the api knows no networks while the service is away, and knows them once it is back", async () => {
  await using router = await testRouter();
  let now = 0;
  const ending = new AbortController();
  const client = new LookupClient({
    socket: `${router.home}/state/lookup/lookup_plugin`,
    ending: ending.signal,
    now: () => now,
  });
  assert.deepEqual(await client.lookupMany(["1.1.1.1"]), [{ asn: 0, name: "", country: "" }]);
  assert.equal((await router.ask("GET", `${PATH}/asn/1.1.1.1`)).status, 503);
  {
    await using _lookup = await startTestLookup(router.home);
    now += 60_000;
    assert.deepEqual(await client.lookupMany(["1.1.1.1", "10.0.0.1", "1.1.1.1"]), [
      { asn: 64497, name: "Other Networks", country: "DE" },
      { asn: 0, name: "", country: "" },
      { asn: 64497, name: "Other Networks", country: "DE" },
    ]);
    assert.deepEqual(await client.vendorMany(["00:00:0c:00:00:01", "x"]), [
      "Cisco Systems, Inc",
      "",
    ]);
  }
  assert.equal((await client.lookupMany(["1.1.1.1"]))[0]!.asn, 64497, "the answer is kept");
  client.close();
});

Deno.test("devices get a vendor and a type, in the order of their addresses", async () => {
  await using router = await testRouter();
  await using _lookup = await startTestLookup(router.home);
  const published: string[] = [];
  const events: ClassificationEvent[] = [];
  router.bus.subscribe(({ data }) => {
    const { MAC, Category } = data as Classification;
    events.push(data as ClassificationEvent);
    published.push(`${MAC} ${Category}`);
  }, ["classify:result"]);
  for (
    const [mac, Name] of [
      ["00:00:0c:00:00:07", "office printer"],
      ["02:00:00:00:0a:01", "Anna's iPhone"],
    ]
  ) {
    const body = { MAC: mac, Name };
    assert.equal((await router.ask("PUT", `/device?identity=${mac}`, { body })).status, 200);
  }
  const found = await router.json<Classification[]>("GET", `${PATH}/classifications`);
  assert.deepEqual(
    found.map(({ MAC, Vendor, RandomMAC, Category, Icon }) => [
      MAC,
      Vendor,
      RandomMAC,
      Category,
      Icon,
    ]),
    [
      ["00:00:0c:00:00:07", "Cisco Systems, Inc", false, "network", ""],
      ["02:00:00:00:0a:01", "", true, "phone", "phone"],
    ],
  );
  const both = ["00:00:0c:00:00:07 network", "02:00:00:00:0a:01 phone"];
  await eventually("both are published", () => assert.deepEqual(published, both));
  const { LastUpdated, DBVersion, ...event } = events[0]!;
  assert.deepEqual(event, {
    ...{ ...found[0], Model: "", SuggestedGroups: [], SuggestedPolicies: [] },
    ...{ UserCorrection: false, Pinned: false },
  });
  assert.match(LastUpdated, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.notEqual(DBVersion, "");
  const renamed = { body: { Name: "Anna's iPhone 2" } };
  await router.json("PUT", "/device?identity=02:00:00:00:0a:01", renamed);
  await router.json("PUT", "/device?identity=00:00:0c:00:00:07", {
    body: { Name: "kitchen iPad" },
  });
  await eventually(
    "the other type is published, and what stays is not",
    () => assert.deepEqual(published, [...both, "00:00:0c:00:00:07 tablet"]),
  );
});

Deno.test("what a device announces is published as its type and model, with what suits it", async () => {
  await using router = await testRouter();
  await using _lookup = await startTestLookup(router.home);
  const events: ClassificationEvent[] = [];
  router.bus.subscribe(({ data }) => events.push(data as ClassificationEvent), ["classify:result"]);
  const MAC = "02:00:00:00:0a:03";
  const request = { MAC, Iface: "lan0", Name: "box" };
  const { IP } = await (await router.inside("dhcp", "PUT", "/dhcpRequest", request)).json();
  const sender = { address: "224.0.0.251:5353", source: IP, link: "lan0" };
  const items = [{ ...sender, services: ["_ipp._tcp.local"], txt: { ty: "Laser 5" }, ssdp: {} }];
  await (await router.inside("multicast", "PUT", "/discovered", { items })).body?.cancel();
  await eventually("its type is published", () => assert.equal(events.length, 1));
  const { Category, Confidence, Model, SuggestedGroups, SuggestedPolicies } = events[0]!;
  assert.deepEqual([Category, Confidence, Model], ["printer", "High", "Laser 5"]);
  assert.deepEqual([SuggestedGroups, SuggestedPolicies], [["Printers"], ["dns"]]);
});
