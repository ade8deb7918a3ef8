import assert from "node:assert/strict";
import { domainToASCII, domainToUnicode } from "node:url";
import fc from "fast-check";
import { entryOf } from "../../../../system/dns/log/segments/entry.ts";
import { VERDICTS } from "../../../../system/dns/log/schema.ts";
import { listName } from "../../../../ui/pages/dns/lists/actions.ts";
import { readable } from "../../../../ui/pages/dns/log/idn.ts";
import { facetCount, FACETS, queriesOverTime } from "../../../../ui/pages/dns/log/counts.ts";
import {
  addressOf,
  askOf,
  filterOf,
  type LogFilter,
  shows,
  verdictsOf,
} from "../../../../ui/pages/dns/log/filter.ts";
import { decideName } from "../../../../ui/pages/dns/overrides/actions.ts";
import { durations, nextClockTime } from "../../../../ui/pages/dns/overrides/duration.ts";
import { momentText } from "../../../../ui/text/time.ts";
import { newerThan } from "../../../../ui/pages/dns/log/use_log.ts";
import {
  clientOf,
  decisionsFor,
  outcome,
  reason,
  typeText,
} from "../../../../ui/pages/dns/text.ts";
import { sizeText } from "../../../../ui/text/format.ts";
import { answerBytes, logged, type QueryFields } from "../../../kit/dns/query.ts";

const entry = (fields: Partial<QueryFields> = {}) => entryOf(logged(fields), 1);
const ALL: LogFilter = { name: "", client: "", facet: "all" };

Deno.test("any query log filter is kept in the address of the page", () => {
  fc.assert(fc.property(
    fc.string(),
    fc.string(),
    fc.constantFrom(...FACETS.map(({ name }) => name)),
    (name, client, facet) => {
      const filter = { name, client, facet };
      const url = new URL(addressOf(filter), "http://router.lan");
      assert.equal(url.pathname, "/admin/dns");
      // Half a character cannot stand in an address.
      const whole = (text: string) => text.toWellFormed();
      assert.deepEqual(filterOf(Object.fromEntries(url.searchParams)), {
        name: whole(name),
        client: whole(client),
        facet,
      });
    },
  ));
  assert.equal(filterOf({ show: "nothing of ours" }).facet, "all");
});

Deno.test("each verdict belongs to one facet, or is the usual one", () => {
  const usual = VERDICTS.filter((verdict) =>
    !FACETS.some(({ name, verdicts }) => name !== "all" && verdicts.includes(verdict))
  );
  assert.deepEqual(usual, ["pass"]);
  const named = FACETS.flatMap(({ verdicts }) => verdicts);
  assert.equal(new Set(named).size, named.length);
  const counts = { pass: 5, block: 2, rebind: 1, local: 4 };
  assert.deepEqual(FACETS.map(({ name }) => facetCount(name, counts)), [12, 3, 0, 4]);
});

Deno.test("each query of a period counts once in the chart", () => {
  const counts = { pass: 5, local: 2, block: 3, rebind: 1, permit: 1, rewrite: 1 };
  const [answered, custom, blocked] = queriesOverTime({ series: [{ time: 0, counts }] });
  assert.deepEqual([answered, custom, blocked].map((one) => one?.values), [[7], [2], [4]]);
});

Deno.test("what a row offers is the opposite of what was done", () => {
  const offered = (fields: Partial<QueryFields>) => decisionsFor(entry(fields));
  assert.deepEqual(offered({ verdict: "block" }), ["permit"]);
  assert.deepEqual(offered({ verdict: "pass" }), ["block"]);
  for (const verdict of ["local", "quarantine", "refused"] as const) {
    assert.deepEqual(offered({ verdict }), []);
  }
  assert.deepEqual(offered({ verdict: "pass", name: "<b>x</b>.example." }), []);
});

Deno.test("a time of day is the next one, by the clock of the browser", () => {
  const at = (hours: number, days = 0) => new Date(2027, 2, 27 + days, hours).getTime();
  assert.equal(nextClockTime("20:00", at(19)), at(20) / 1000);
  assert.equal(nextClockTime("20:00", at(20)), at(20, 1) / 1000);
  assert.equal(momentText(at(20) / 1000, at(9)), "tonight 20:00");
  assert.equal(momentText(at(7, 1) / 1000, at(9)), "tomorrow 07:00");
  assert.deepEqual(
    durations(at(21)).slice(-3).map(([, text]) => text),
    ["Until tomorrow 07:00", "Until tomorrow 20:00", "Until a time…"],
  );
});

Deno.test("live queries are shown as the log shows them", () => {
  assert.ok(shows(ALL, entry()));
  assert.ok(shows({ ...ALL, name: "EXAMPLE" }, entry()));
  assert.ok(!shows({ ...ALL, name: "other" }, entry()));
  // The stream is asked by the beginning of an address.
  assert.ok(!shows({ ...ALL, client: "192.168.2.6" }, entry({ client: "192.168.2.60" })));
  assert.ok(shows({ ...ALL, client: "fd00::6" }, entry({ client: "fd00::6" })));
  for (const verdict of VERDICTS) {
    for (const { name } of FACETS) {
      const wanted = verdictsOf({ ...ALL, facet: name });
      assert.equal(
        shows({ ...ALL, facet: name }, entry({ verdict })),
        wanted.length === 0 || wanted.includes(verdict),
      );
    }
  }
});

Deno.test("every verdict has a label and a reason", () => {
  for (const verdict of VERDICTS) {
    for (const rcode of [0, 2, 3]) {
      const one = entry({ verdict, message: answerBytes("www.example.com.", { rcode }) });
      assert.notEqual(outcome(one)[0], "");
      assert.match(reason(one), /^\S.*\.$/s);
    }
  }
  assert.equal(clientOf({ Remote: "[fd00::6]:53" }), "fd00::6");
  assert.equal(typeText(28), "AAAA");
  assert.equal(typeText(65_280), "TYPE65280");
});

Deno.test("a custom rule is sent with its address or name, expiry and client", () => {
  const decide = (instead: string) =>
    decideName({
      type: "block",
      domain: "nas.example.com",
      client: "192.168.2.6",
      who: "Tablet",
      seconds: "3600",
      instead,
    }, () => {});
  const body = (instead: string) =>
    decide(instead).request().body as { ResultIP: string; ResultCNAME: string; Expiration: number };
  assert.deepEqual([body("192.168.2.10").ResultIP, body("192.168.2.10").ResultCNAME], [
    "192.168.2.10",
    "",
  ]);
  assert.equal(body("fd00::6").ResultIP, "fd00::6");
  assert.equal(body("nas.lan").ResultCNAME, "nas.lan");
  assert.equal(body("").Expiration, 3600);
  assert.equal(decide("").sentence, "is blocked for Tablet, including subdomains.");
  assert.deepEqual(decide("").details, ["The rule ends after 1 hour."]);
});

Deno.test("block lists have distinct titles, and sizes are readable", () => {
  assert.equal(listName("https://lists.example.org/a/ads.txt"), "ads.txt of lists.example.org");
  assert.equal(listName("https://lists.example.org"), "lists.example.org");
  assert.equal(listName("upload:mine"), "mine");
  assert.deepEqual([0, 999, 1000, 12_345, 2_500_000, 3e9].map(sizeText), [
    "0 B",
    "999 B",
    "1.0 kB",
    "12 kB",
    "2.5 MB",
    "3.0 GB",
  ]);
});

Deno.test("a domain is shown in Unicode and sent in ASCII", () => {
  assert.equal(readable("www.xn--bcher-kva.example"), "www.bücher.example");
  assert.equal(readable("xn--fiqs8s.xn--p1ai"), "中国.рф");
  assert.deepEqual(askOf({ ...ALL, name: " Bücher.example" }), { name: "xn--bcher-kva.example" });
  assert.deepEqual(askOf({ ...ALL, name: "b%c[" }), { name: "b%c[" });
  assert.ok(shows({ ...ALL, name: "bücher" }, entry({ name: "xn--bcher-kva.example." })));
});

Deno.test("a confusable or invalid domain is shown in ASCII", () => {
  // The first is "аpple" with a Cyrillic letter, the others are not Punycode.
  for (const label of ["xn--pple-43d", "xn--", "xn--a-", "xn--99999999", "xn--ü", "xn--\0"]) {
    assert.equal(readable(`${label}.example`), `${label}.example`);
  }
});

Deno.test("a domain shown in Unicode converts back to the same domain", () => {
  const letters = [..."abzäßéøñžабяαβωبתहก日本語한ゆЖ-09"];
  const label = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 12 })
    .map((list) => list.join(""));
  fc.assert(fc.property(fc.array(label, { minLength: 1, maxLength: 3 }), (labels) => {
    const ascii = domainToASCII(`${labels.join(".")}.example`);
    fc.pre(ascii !== "");
    assert.equal(domainToASCII(readable(ascii)), ascii);
  }));
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9-]{0,20}$/), (text) => {
      const shown = readable(`xn--${text}.example`);
      assert.ok(
        shown === `xn--${text}.example` || domainToUnicode(`xn--${text}.example`) === shown,
      );
    }),
    { numRuns: 2000 },
  );
});

Deno.test("queries made while the log loads are neither lost nor shown twice", () => {
  const numbered = (...ids: number[]) => ids.map((id) => entryOf(logged({}), id));
  const received = numbered(4, 5, 6);
  const missed = (...shown: number[]) =>
    newerThan({ items: numbered(...shown), next: null }, received).map(({ id }) => id);
  assert.deepEqual(missed(5, 4, 3), [6]);
  assert.deepEqual(missed(), [4, 5, 6]);
});
