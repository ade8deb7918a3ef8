import assert from "node:assert/strict";
import fc from "fast-check";
import { Problem } from "../../../../system/core/errors/problem.ts";
import { PrivacyFilter } from "../../../../system/dns/log/privacy_filter.ts";
import { dnsLogDocument } from "../../../../system/dns/log/document.ts";
import { entryOf, eventsOf } from "../../../../system/dns/log/segments/entry.ts";
import { readAnswers } from "../../../../system/dns/log/segments/answer_records.ts";
import { ignoreDomains, setLogConfig, unignoreDomain } from "../../../../system/dns/log/rules.ts";
import { DEFAULT_LOG_CONFIG, LogEntry } from "../../../../system/dns/log/schema.ts";
import { deleteDevice } from "../../../../system/devices/delete.ts";
import { configWith, device, mac } from "../../../kit/builders/device_config.ts";
import { answerBytes, logged, query, type QueryFields } from "../../../kit/dns/query.ts";

Deno.test("answer records are decoded with the fields of their types", () => {
  const text = (word: string): number[] => [...word].map((letter) => letter.charCodeAt(0));
  const www = [3, ...text("web"), 0xc0, 0x10];
  const read = (type: number, data: readonly number[]) => {
    const { answers, first } = readAnswers(
      answerBytes("www.example.", { answers: [{ type, data }] }),
    );
    const { Hdr, ...fields } = answers[0]!;
    assert.deepEqual(Hdr, {
      Name: "www.example.",
      Rrtype: type,
      Class: 1,
      Ttl: 60,
      Rdlength: data.length,
    });
    return [fields, first];
  };
  assert.deepEqual(read(1, [192, 0, 2, 1]), [{ A: "192.0.2.1" }, "192.0.2.1"]);
  assert.deepEqual(read(28, [0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 1]), [
    { AAAA: "2001:db8::1" },
    "2001:db8::1",
  ]);
  assert.deepEqual(read(5, www), [{ Target: "web.example." }, "web.example."]);
  assert.deepEqual(read(15, [0, 10, ...www]), [
    { Preference: 10, Mx: "web.example." },
    "10 web.example.",
  ]);
  assert.deepEqual(read(33, [0, 1, 0, 2, 1, 0xbb, ...www]), [
    { Priority: 1, Weight: 2, Port: 443, Target: "web.example." },
    "1 2 443 web.example.",
  ]);
  assert.deepEqual(read(16, [4, ...text("a<b>"), 1, 7]), [
    { Txt: ["a<b>", "?"] },
    '"a<b>" "?"',
  ]);
  assert.deepEqual(read(13, [7, ...text("RFC8482"), 0]), [
    { Cpu: "RFC8482", Os: "" },
    "RFC8482",
  ]);
  assert.deepEqual(read(99, [1, 2, 255]), [{ Data: "0102ff" }, "0102ff"]);
  assert.deepEqual(read(1, [1, 2]), [{ Data: "0102" }, "0102"]);
});

Deno.test("decoding answers accepts any bytes without a throw, with bounded output", () => {
  fc.assert(fc.property(
    fc.uint8Array({ minLength: 0, maxLength: 600 }),
    fc.nat(40),
    (bytes, answers) => {
      const message = new Uint8Array([0, 1, 0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0, ...bytes]);
      const { answers: read } = readAnswers(message);
      assert.ok(read.length <= 32);
      assert.ok(JSON.stringify(read).length < 200_000);
    },
  ));
});

Deno.test("an entry has the existing response types", () => {
  const typed = (fields: Partial<QueryFields>) => entryOf(logged(fields), 5).Type;
  const message = (rcode: number) => answerBytes("www.example.com.", { rcode });
  assert.equal(typed({}), "NOERROR");
  assert.equal(typed({ message: message(0) }), "NODATA");
  assert.equal(typed({ message: message(3) }), "NXDOMAIN");
  assert.equal(typed({ message: message(3), verdict: "block" }), "BLOCKED");
  assert.equal(typed({ message: message(3), verdict: "rebind" }), "BLOCKED");
  assert.equal(typed({ message: message(3), verdict: "quarantine" }), "BLOCKED");
  assert.equal(typed({ message: message(2) }), "OTHERERROR");
  const entry = entryOf(logged({ client: "fd00::6", at: 1_700_000_000_123 }), 5);
  assert.deepEqual(LogEntry.parse(entry), entry);
  assert.equal(entry.Remote, "[fd00::6]:40000");
  assert.equal(entry.Local, "192.168.2.1:53");
  assert.equal(entry.Timestamp, "2023-11-14T22:13:20.123Z");
  assert.deepEqual([entry.FirstName, entry.FirstAnswer], ["www.example.com.", "192.0.2.1"]);
  assert.equal(eventsOf(entry, "")[0]!.topic, "dns:serve:fd00::6");
});

Deno.test("blocked and rewritten queries have topics of their own", () => {
  const published = (fields: Partial<QueryFields>) => {
    const record = logged(fields);
    return eventsOf(entryOf(record, 5), record.rebindAddress).slice(1);
  };
  const [ClientIP, Name] = ["192.168.2.6", "www.example.com."];
  assert.deepEqual(published({}), []);
  assert.deepEqual(published({ verdict: "block" }), [
    { topic: "dns:block:event", value: { ClientIP, Name } },
  ]);
  assert.deepEqual(published({ verdict: "rewrite" }), [
    { topic: "dns:override:event", value: { ClientIP, IP: "192.0.2.1", Name } },
  ]);
  assert.deepEqual(published({ verdict: "rebind", rebindAddress: "192.168.2.1" }), [
    { topic: "dns:blockrebind:event", value: { ClientIP, BlockedIP: "192.168.2.1", Name } },
  ]);
});

Deno.test("the privacy filter ignores final dot and case, and a wildcard covers subdomains", () => {
  const discretion = new PrivacyFilter({
    HostPrivacyIPList: ["192.168.2.6", "fd00::6"],
    DomainIgnoreList: ["private.example.", "*.family.example", "one"],
  });
  const hides = (name: string, client = "192.168.2.10"): boolean =>
    discretion.hides(client, query({ name }).name);
  assert.ok(hides("a.", "192.168.2.6"));
  assert.ok(hides("a.", "fd00::6"));
  for (
    const name of [
      "private.example.",
      "PRIVATE.example",
      "a.family.example.",
      "a.b.Family.EXAMPLE.",
    ]
  ) {
    assert.ok(hides(name), name);
  }
  for (
    const name of ["a.private.example.", "family.example.", "afamily.example.", "one.example."]
  ) {
    assert.ok(!hides(name), name);
  }
});

Deno.test("domains are ignored one by one or joined by commas, and each once", () => {
  const start = configWith();
  const [one, list] = ignoreDomains(start, "Example.com.");
  assert.deepEqual(list, ["example.com."]);
  const [two, more] = ignoreDomains(one, "example.com,b.example, *.c.example,b.example.");
  assert.deepEqual(more, ["example.com.", "b.example", "*.c.example"]);
  const bad = ["example.com", "", ",", "a b", "a..b", "*.", "a.*.b", "<b>", `${"a".repeat(64)}.b`];
  for (const text of bad) {
    assert.throws(
      () => ignoreDomains(one, text),
      (error) => error instanceof Problem && error.status === 400,
      text,
    );
  }
  assert.deepEqual(unignoreDomain(two, "EXAMPLE.com")[1], ["b.example", "*.c.example"]);
  assert.equal(unignoreDomain(two, "not.there")[0], two);
});

Deno.test("log settings keep absent fields and drop duplicates", () => {
  const [config, log] = setLogConfig(configWith(), {
    HostPrivacyIPList: ["192.168.2.6", "192.168.2.6"],
    RetentionDays: 30,
    StoreLocalMemory: undefined,
  });
  assert.deepEqual(log, {
    ...DEFAULT_LOG_CONFIG,
    HostPrivacyIPList: ["192.168.2.6"],
    RetentionDays: 30,
  });
  assert.equal(setLogConfig(config, { RetentionDays: 30 })[0], config);
});

Deno.test("a deleted device's address leaves the privacy list", () => {
  const start = configWith({
    devices: { [mac(1)]: device(mac(1), { RecentIP: "192.168.2.6" }) },
    dnsLog: { ...DEFAULT_LOG_CONFIG, HostPrivacyIPList: ["192.168.2.6", "192.168.2.10"] },
  });
  const [after] = deleteDevice(start, mac(1));
  assert.deepEqual(after.dnsLog.HostPrivacyIPList, ["192.168.2.10"]);
});

Deno.test("an existing settings file is read, invalid entries are rejected", () => {
  const { value, rejected } = dnsLogDocument.read({
    HostPrivacyIPList: ["192.168.2.6", "nobody", null],
    DomainIgnoreList: ["a.example.", "A.example"],
    StoreLocalMemory: null,
  });
  assert.deepEqual(value, {
    ...DEFAULT_LOG_CONFIG,
    HostPrivacyIPList: ["192.168.2.6"],
    DomainIgnoreList: ["a.example."],
  });
  assert.deepEqual(rejected.map(({ pointer }) => pointer), [
    "/HostPrivacyIPList/1",
    "/HostPrivacyIPList/2",
    "/DomainIgnoreList/1",
  ]);
  assert.throws(() => dnsLogDocument.read({ RetentionDays: 0 }), Problem);
  assert.deepEqual(
    dnsLogDocument.read({ HostPrivacyIPList: null, DomainIgnoreList: null }).value,
    DEFAULT_LOG_CONFIG,
  );
});
