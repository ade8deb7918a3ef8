import assert from "node:assert/strict";
import fc from "fast-check";
import { PortalReport } from "../../../system/uplink/plan_schema.ts";
import { PortalChecks } from "../../../system/uplink/health/portal_checks.ts";
import { portalVerdict } from "../../../system/uplink/health/portal_rules.ts";

const ASKED = "http://check.example/nm";
const answer = (status: string, headers: readonly string[], body = ""): string =>
  [`HTTP/1.1 ${status}`, ...headers, "", body].join("\r\n");

Deno.test("a page that comes as expected is no portal", () => {
  const open = { state: "open", url: "" };
  assert.deepEqual(portalVerdict(answer("200 OK", [], "NetworkManager is online\n"), ASKED), open);
  assert.deepEqual(portalVerdict(answer("204 No Content", []), ASKED), open);
  const interim = answer("103 Early Hints", ["Link: x"]) + answer("200 OK", [], "success");
  assert.deepEqual(portalVerdict(interim, ASKED), open);
});

Deno.test("anything else that comes is a portal's, with an address to visit", () => {
  const url = (raw: string): string => {
    const verdict = portalVerdict(raw, ASKED);
    assert.equal(verdict.state, "portal", raw);
    return verdict.url;
  };
  const at = (location: string): string => url(answer("302 Found", [`Location: ${location}`]));
  assert.equal(at("https://portal.example/login?mac=1"), "https://portal.example/login?mac=1");
  assert.equal(at("/welcome"), "http://check.example/welcome");
  assert.equal(at("https://me:secret@portal.example/#top"), "https://portal.example/");
  assert.equal(at("javascript:alert(1)"), ASKED);
  assert.equal(at("http://[nonsense"), ASKED);
  assert.equal(at("http://p.example/\u202e<script>"), "http://p.example/%E2%80%AE%3Cscript%3E");
  assert.equal(at(`http://p.example/?${"x".repeat(5000)}`), "http://p.example/");
  assert.equal(url(answer("200 OK", [], "<html>Welcome")), ASKED);
  assert.equal(url(answer("511 Network Authentication Required", [])), ASKED);
});

Deno.test("an answer without information opens no notice and closes none", () => {
  for (const raw of ["", "\0\0", "220 smtp.example", answer("500 Oops", []), "HTTP/1.1 1"]) {
    assert.equal(portalVerdict(raw, ASKED).state, "unknown", raw);
  }
});

Deno.test("whatever a portal answers, what is reported of it can be shown", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom("HTTP/1.1 302 Found\r\n", "HTTP/1.1 100 C\r\n\r\n", "Location: ", "\r\n"),
      fc.constantFrom("http://", "//x", "data:", "\u0000", "a".repeat(400), "HTTP/1.1 200 OK"),
      fc.string({ unit: "binary", maxLength: 30 }),
    ),
    { maxLength: 12 },
  ).map((list) => list.join(""));
  fc.assert(
    fc.property(pieces, (raw) => {
      const verdict = portalVerdict(raw, ASKED);
      PortalReport.parse({ name: "wlan1", ...verdict });
      assert.equal(verdict.url === "", verdict.state !== "portal");
    }),
    { numRuns: 2000 },
  );
});

Deno.test("an uplink is checked at once, after a new address, and then in intervals", async () => {
  let now = 0;
  const reports: string[] = [];
  let raw = answer("200 OK", [], "NetworkManager is online");
  const checks = new PortalChecks({
    request: () => raw === "broken" ? Promise.reject(new Error("broken")) : Promise.resolve(raw),
    report: ({ state }) => Promise.resolve(void reports.push(state)),
    now: () => now,
  });
  const one = { name: "wlan1", link: "wlan1", url: ASKED, address: "192.0.2.9/24" };
  await checks.check([one]);
  now = 59_000;
  await checks.check([one]);
  assert.deepEqual(reports, ["open"]);
  raw = answer("302 Found", ["Location: /login"]);
  await checks.check([{ ...one, address: "192.0.2.10/24" }]);
  assert.deepEqual(reports, ["open", "portal"]);
  raw = "broken";
  now += 15_000;
  await checks.check([{ ...one, address: "192.0.2.10/24" }]);
  assert.deepEqual(reports, ["open", "portal", "unknown"]);
  await checks.check([]);
  await checks.check([one]);
  assert.equal(reports.length, 4);
});
