import assert from "node:assert/strict";
import fc from "fast-check";
import { exposition, type Metric } from "../../../system/metrics/exposition.ts";
import { otpOf } from "../../kit/otp.ts";
import { testRouter } from "../../kit/router.ts";

const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
/** A line by the grammar of the format, written down apart from the program. */
const SAMPLE = new RegExp(
  String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(${LABEL}(?:,${LABEL})*)\})? (\S+)$`,
);

/** Units and words that the linter of Prometheus rejects in names. */
const ABBREVIATIONS =
  /(^|_)(s|ms|us|ns|sec|min|h|milliseconds|microseconds|minutes|hours|days|kb|mb|gb|kib|kilobytes|megabytes|bits|percent|pct|celsius_c|counter|gauge|summary|histogram)(_|$)/;

/** Throws for a name that `promtool check metrics` complains of. */
function lintName(name: string): void {
  assert.match(name, /^[a-z][a-z0-9_]*$/, `${name}: no camel case, no colon`);
  assert.doesNotMatch(name.replace(/_total$/, ""), ABBREVIATIONS, name);
  assert.doesNotMatch(name, /_(sum|count|bucket|info_total)$/, name);
}

/** Reads a text of metrics; throws where it breaks a rule that `promtool check metrics` has. */
function parse(text: string): ReadonlyMap<string, number> {
  assert.ok(text === "" || text.endsWith("\n"));
  const samples = new Map<string, number>(), families = new Map<string, string>();
  let current = "";
  let hasHelp = "";
  for (const line of text.split("\n").slice(0, -1)) {
    const help = /^# HELP (\S+) ./.exec(line),
      type = /^# TYPE (\S+) (counter|gauge|summary)$/.exec(line);
    if (help) hasHelp = help[1]!;
    else if (type) {
      const [, name, kind] = type as unknown as [string, string, string];
      assert.equal(name, hasHelp, "a type without its help");
      assert.ok(!families.has(name), `${name} comes twice`);
      assert.equal(kind === "counter", name.endsWith("_total"), name);
      lintName(name);
      families.set(name, kind);
      current = name;
    } else {
      const sample = SAMPLE.exec(line);
      assert.ok(sample, `no sample: ${line}`);
      const [, name, labels = "", value] = sample;
      const own = families.get(current) === "summary" ? name!.replace(/_(sum|count)$/, "") : name;
      assert.equal(own, current, `${name} outside its family`);
      const key = `${name}{${labels}}`;
      assert.ok(!samples.has(key), `${key} comes twice`);
      assert.ok(/^(NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(value!), line);
      samples.set(key, Number(value));
    }
  }
  return samples;
}

Deno.test("whatever stands in labels and values, the text is of the format", () => {
  const sample = fc.record({
    labels: fc.dictionary(fc.constantFrom("a", "b_c"), fc.string({ unit: "binary" })),
    value: fc.double(),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(sample, { selector: (one) => JSON.stringify(one.labels) }),
      (samples) => {
        const metric: Metric = { name: "sluice_x", help: "A\nb\\c.", type: "gauge", samples };
        const text = exposition([metric]).toWellFormed();
        assert.equal(new Set(parse(text).keys()).size <= samples.length, true);
      },
    ),
  );
  assert.throws(() =>
    exposition([{ name: "a b", help: "", type: "gauge", samples: [{ value: 1 }] }])
  );
});

Deno.test("metrics are there for a scope of their own, and of the format", async () => {
  await using router = await testRouter();
  router.host.counted = {
    counters: { incoming_traffic_wan: [["192.168.2.6", 10, 15_000]] },
    flows: null,
  };
  router.host.carried = {
    wan0: { received: 9_000_000_000, sent: 7 },
    lan0: { received: 1, sent: 2 },
  };
  await router.json("PUT", "/device?identity=02:00:00:00:00:01", {
    body: { MAC: "02:00:00:00:00:01", Name: 'a "quoted" name', Policies: ["wan"] },
  });
  assert.equal((await router.ask("GET", "/metrics", { as: null })).status, 401);
  const made = await router.json<{ Token: string }>("PUT", "/tokens", {
    body: { Name: "monitoring", ScopedPaths: ["/metrics:r"] },
    headers: await otpOf(router),
  });
  const as = `Bearer ${made.Token}`;
  assert.equal((await router.ask("GET", "/devices", { as })).status, 403);
  const response = await router.ask("GET", "/metrics", { as });
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const samples = parse(await response.text());
  const value = (key: string) => samples.get(key);
  assert.equal(value('sluice_devices{connection="offline"}'), 1);
  const labels = 'ip="192.168.2.6",network="wan",direction="received"';
  assert.equal(value(`sluice_device_bytes_total{${labels}}`), 15_000);
  const wan = 'interface="wan0",direction=';
  assert.equal(value(`sluice_uplink_bytes_total{${wan}"received"}`), 9_000_000_000);
  assert.equal(value(`sluice_uplink_bytes_total{${wan}"sent"}`), 7);
  assert.ok(![...samples.keys()].some((key) => key.includes("lan0")), "of uplinks alone");
  assert.equal(value('sluice_process_up{process="netd"}'), 1);
  assert.equal(value('sluice_process_up{process="dnsd"}'), 0);
  assert.ok((value('sluice_engine_stage_seconds_count{stage="journal:committed"}') ?? 0) >= 1);
  assert.ok((value('sluice_events_total{area="devices"}') ?? 0) >= 1);
  assert.ok((value("sluice_api_resident_memory_bytes{}") ?? 0) > 1e6);
});
