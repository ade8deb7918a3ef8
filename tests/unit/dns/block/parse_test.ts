import assert from "node:assert/strict";
import fc from "fast-check";
import { invalidContent } from "../../../../system/dns/block/lists/save_list.ts";
import { displayName, domainName, writeWireName } from "../../../../system/dns/block/names.ts";
import { parseLine } from "../../../../system/dns/block/lists/parse_list.ts";
import { isNonPublicAddress } from "../../../../system/dns/block/verdict/rebinding.ts";
import { invalidSource } from "../../../../system/dns/block/lists/source.ts";
import { MAX_NAME_BYTES } from "../../../../system/dns/codec/constants.ts";
import { nameBytes } from "../../../../system/dns/codec/name.ts";
import { checkUpload } from "../../../../system/dns/block/lists/upload.ts";

function names(line: string): readonly string[] {
  const parsed = parseLine(line);
  assert.equal(parsed.skipped, 0, line);
  return parsed.domains;
}

/** A parsed line without the reason for what is skipped. */
function parsed(line: string) {
  const { reason, ...rest } = parseLine(line);
  assert.equal(reason === null, rest.skipped === 0, line);
  return rest;
}

const SKIPPED = { domains: [], exception: false, important: false, skipped: 1 };

Deno.test("a line of a hosts file yields its names but not those of the machine itself", () => {
  assert.deepEqual(names("0.0.0.0 ads.example.com"), ["ads.example.com"]);
  assert.deepEqual(names("127.0.0.1\tADS.Example.Com.  # why"), ["ads.example.com"]);
  assert.deepEqual(names("::1 a.example b.example\r"), ["a.example", "b.example"]);
  assert.deepEqual(names("0 ads.example.com"), ["ads.example.com"]);
  assert.deepEqual(names("0.0.0.0 0.0.0.0"), []);
  assert.deepEqual(names("127.0.0.1 localhost localhost.localdomain"), []);
  assert.deepEqual(names("fe80::1%lo0 localhost"), []);
  assert.deepEqual(names("255.255.255.255 broadcasthost"), []);
  assert.deepEqual(names("ff02::1 ip6-allnodes"), []);
});

Deno.test("an invalid word of a hosts file does not affect the others", () => {
  assert.deepEqual(parsed("0.0.0.0 good.example bad..example com 192.0.2.7 fine.example"), {
    domains: ["good.example", "fine.example"],
    exception: false,
    important: false,
    skipped: 3,
  });
  assert.deepEqual(parsed("0.0.0.0 a.example b_.example#why not: x..y com"), {
    domains: ["a.example", "b_.example"],
    exception: false,
    important: false,
    skipped: 0,
  });
  assert.deepEqual(parsed("0.0.0.0 bad..example"), SKIPPED);
  assert.deepEqual(parsed("0.0.0.0 com net"), { ...SKIPPED, skipped: 2 });
  assert.deepEqual(names("0.0.0.0 # nothing"), []);
});

Deno.test("names of the machine itself are known in any case, with or without final dot", () => {
  const own = ["LocalHost", "localhost.", "LOCALHOST.localdomain", "localhost6", "BroadcastHost"];
  for (const name of [...own, "IP6-allnodes", "localhost4.localdomain4", "local", "0.0.0.0"]) {
    assert.deepEqual(names(`127.0.0.1 ${name} ads.example`), ["ads.example"], name);
    assert.deepEqual(names(name), [], name);
  }
});

Deno.test("a list of domains gives one name a line, whatever its script", () => {
  assert.deepEqual(names("ads.example.com"), ["ads.example.com"]);
  assert.deepEqual(names("  ads.example.com.  "), ["ads.example.com"]);
  assert.deepEqual(names("*.ads.example.com"), ["ads.example.com"]);
  assert.deepEqual(names(".ads.example.com"), ["ads.example.com"]);
  assert.deepEqual(names("\ufeffads.example.com\r"), ["ads.example.com"]);
  assert.deepEqual(names("ＡＤＳ。bücher.example。"), ["ads.xn--bcher-kva.example"]);
  assert.deepEqual(names("bücher.example"), ["xn--bcher-kva.example"]);
  assert.deepEqual(names("_tcp.example.com"), ["_tcp.example.com"]);
  assert.deepEqual(names(""), []);
  assert.deepEqual(names("# comment"), []);
  assert.deepEqual(names("ads.example.com # comment"), ["ads.example.com"]);
});

Deno.test("AdBlock rules of whole names are used, cosmetic rules are not", () => {
  assert.deepEqual(parsed("||ads.example.com^"), {
    domains: ["ads.example.com"],
    exception: false,
    important: false,
    skipped: 0,
  });
  assert.deepEqual(parsed("@@||good.ads.example.com^"), {
    domains: ["good.ads.example.com"],
    exception: true,
    important: false,
    skipped: 0,
  });
  assert.deepEqual(names("||ads.example.com^$important"), ["ads.example.com"]);
  assert.deepEqual(names("||ads.example.com^|"), ["ads.example.com"]);
  assert.deepEqual(names("@@||BÜCHER.example.^|$important\r"), ["xn--bcher-kva.example"]);
  assert.deepEqual(names("||zip^"), ["zip"]);
  assert.deepEqual(names("! comment"), []);
  assert.deepEqual(names("[Adblock Plus 2.0]"), []);
  for (
    const line of [
      "||ads.example.com^$script,third-party",
      "||ads.example.com^$domain=shop.example",
      "||ads.example.com/banner.js",
      "||ads.example.com/banner^",
      "example.com##.banner",
      "example.com#@#.banner",
      "/banner[0-9]+/",
      "@@/banner/",
      "||192.0.2.1^",
    ]
  ) assert.deepEqual(parsed(line), SKIPPED, line);
});

Deno.test("AdBlock lines as lists for resolvers write them are used", () => {
  for (
    const line of [
      "||ads.example.com",
      "||*.ads.example.com^",
      "||*.ads.example.com",
      "||ads.example.com^ # since May",
      "||ads.example.com^  ! since May",
      "||ads.example.com^*",
      "||ads.example.com$important",
      "||ads.example.com|",
      "ads.example.com ! since May",
    ]
  ) assert.deepEqual(names(line), ["ads.example.com"], line);
  assert.equal(parseLine("@@||*.good.example^ # note").exception, true);
  for (const line of ["||a.example^$important", "@@||a.example$all,important # since May"]) {
    assert.equal(parseLine(line).important, true, line);
  }
  assert.equal(parseLine("||important.example^$all").important, false);
});

Deno.test("a line that is not used has a reason", () => {
  const lines = {
    cosmetic: ["example.com##.banner", "example.com#@#.banner", "example.com#?#div"],
    option: [
      "||ads.example^$script",
      "||ads.example^$third-party,important",
      "||a.example$dnstype=A",
    ],
    path: ["||ads.example/banner.js", "||ads.example:8080^", "ads.example/banner"],
    wildcard: ["||ad*.example^", "||ads.*^", "ad*.example"],
    pattern: ["/banner[0-9]+/", "|https://ads.example^", "@@/x/", "ads.example^"],
    name: ["com", "||ads", "||192.0.2.1^", "0.0.0.0 bad..example", "a b", "x".repeat(5000)],
  };
  for (const [reason, list] of Object.entries(lines)) {
    for (const line of list) assert.equal(parseLine(line).reason, reason, line.slice(0, 40));
  }
});

Deno.test("an unblockable name blocks nothing", () => {
  for (
    const line of [
      "com",
      "0.0.0.0 com",
      "192.0.2.7",
      "0.0.0.0 192.0.2.7",
      "a..example",
      "-a.example",
      `${"a".repeat(64)}.example`,
      `${"a.".repeat(130)}example`,
      "http://ads.example.com/",
      "ads.example.com other.example.com",
      "<html>",
      "a b c",
      "x".repeat(5000),
    ]
  ) assert.deepEqual(parsed(line), SKIPPED, line.slice(0, 60));
});

Deno.test("no line throws or yields an invalid name", () => {
  const odd = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.string({ maxLength: 80 }).map((text) => `||${text}^`),
    fc.string({ maxLength: 80 }).map((text) => `0.0.0.0 ${text}`),
  );
  fc.assert(fc.property(odd, (line) => {
    for (const name of parseLine(line).domains) assert.equal(domainName(name), name);
  }));
});

Deno.test("a name is the same with or without final dot, in any case and script", () => {
  assert.equal(domainName("Example.COM."), "example.com");
  assert.equal(domainName("BÜCHER.example"), "xn--bcher-kva.example");
  assert.equal(domainName("xn--bcher-kva.example"), "xn--bcher-kva.example");
  assert.equal(displayName("xn--bcher-kva.example"), "bücher.example");
  assert.equal(displayName("example.com"), "example.com");
  assert.equal(domainName(displayName("xn--bcher-kva.example")), "xn--bcher-kva.example");
  for (const text of ["", ".", "..", "a..b", " a", "a b", "a/b", "ä".repeat(80)]) {
    assert.equal(domainName(text), null, text);
  }
});

Deno.test("a name is written in wire format as by the codec", () => {
  const out = new Uint8Array(MAX_NAME_BYTES);
  const label = fc.stringMatching(/^[a-z0-9_-]{0,65}$/);
  fc.assert(fc.property(fc.array(label, { maxLength: 8 }).map((all) => all.join(".")), (name) => {
    const length = writeWireName(name, out.fill(7));
    const expected = name.endsWith(".") || name === "" ? null : nameBytes(name);
    assert.deepEqual(length === 0 ? null : out.slice(0, length), expected);
  }));
});

Deno.test("only Internet addresses pass DNS rebinding protection", () => {
  const inside = [
    ...["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1"],
    ...["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.2.1", "224.0.0.1"],
    ...["240.0.0.1", "255.255.255.255", "::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1"],
    ...["fec0::1", "ff02::1", "::ffff:192.168.2.1", "::ffff:a00:1", "::192.168.2.1"],
    ...["64:ff9b::a00:1", "64:ff9b::127.0.0.1", "2002:c0a8:201::1", "no address", ""],
    ...["64:ff9b:1::1", "64:ff9b:1:ffff::808:808", "100::1"],
  ];
  const publicAddresses = [
    ...["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.0.0.1"],
    ...["128.0.0.1", "169.253.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "192.169.1.1"],
    ...["203.0.113.7", "223.255.255.255", "2001:db8::1", "2620:fe::fe", "64:ff9b::101:101"],
    ...["::ffff:1.1.1.1", "2002:101:101::1", "64:ff9b:2::1", "100:0:0:1::1"],
  ];
  for (const address of inside) assert.equal(isNonPublicAddress(address), true, address);
  for (const address of publicAddresses) assert.equal(isNonPublicAddress(address), false, address);
});

Deno.test("a list is fetched by http or https or uploaded, and by nothing else", () => {
  for (
    const uri of [
      "https://lists.example.com/hosts",
      "http://lists.example.com:8080/a?b=c",
      "https://203.0.113.7/hosts",
      "https://[2001:db8::1]/hosts",
      "upload:My list 2",
    ]
  ) assert.equal(invalidSource(uri), null, uri);
  for (
    const uri of [
      "",
      "lists.example.com/hosts",
      "file:///etc/passwd",
      "ftp://lists.example.com/hosts",
      "data:text/plain,ads.example.com",
      "https://user:word@lists.example.com/hosts",
      "http://127.0.0.1/hosts",
      "http://0x7f.1/hosts",
      "http://2130706433/hosts",
      "http://192.168.2.1/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://169.254.169.254/latest/meta-data",
      "upload:",
      "upload:../x",
      "upload: x",
      `https://lists.example.com/${"a".repeat(2048)}`,
      "https://lists.example.com/a b",
      "https://lists.example.com/\u0007",
    ]
  ) assert.notEqual(invalidSource(uri), null, uri);
});

Deno.test("web pages, archives and binary files are detected", () => {
  const fault = (text: string | Uint8Array<ArrayBuffer>): string | null => {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    return invalidContent(bytes.subarray(0, 512), bytes);
  };
  assert.equal(fault("0.0.0.0 ads.example.com\n"), null);
  assert.equal(fault("\ufeff# a list\nads.example.com\n"), null);
  assert.match(fault("<!DOCTYPE html><html>")!, /web page/);
  assert.match(fault("\n  <HTML lang=en>")!, /web page/);
  assert.match(fault(new Uint8Array([0x1f, 0x8b, 8, 1]))!, /compressed/);
  assert.match(fault(new Uint8Array([65, 66, 0, 67]))!, /not text/);
  assert.match(fault("<p>Please sign in")!, /web page/);
  assert.match(fault("GIF89a")!, /image/);
  assert.match(fault(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10]))!, /image/);
  assert.match(fault("%PDF-1.7")!, /not text/);
});

Deno.test("an upload without any domain is rejected", () => {
  checkUpload("# head\n\n0.0.0.0 ads.example.com");
  checkUpload("ads.example.com");
  for (
    const text of ["", "# nothing", "<html><body>ads.example.com", "a\0b.example", "1.2.3.4\n"]
  ) {
    assert.throws(() => checkUpload(text), { name: "Problem", status: 400 }, text);
  }
});
