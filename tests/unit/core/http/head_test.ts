import assert from "node:assert/strict";
import fc from "fast-check";
import {
  asTarget,
  chunkSize,
  type Header,
  HttpFault,
  parseHead,
  requestHead,
} from "../../../../system/core/ipc/http/head.ts";

const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9a-z-]{1,12}$/)
  .filter((text) => !["connection", "content-length", "transfer-encoding"].includes(text));
const value = fc.stringMatching(
  /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/,
);
const headers = fc.array(fc.tuple(name, value), { maxLength: 12 });

const headOf = (status: string, list: readonly Header[], end = "\r\n"): string =>
  [`HTTP/1.1 ${status}`, ...list.map(([name, value]) => `${name}: ${value}`), "", ""].join(end);

Deno.test("a head is read as it was written, with either end of a line", () => {
  const status = fc.integer({ min: 200, max: 599 });
  fc.assert(fc.property(headers, status, fc.constantFrom("\r\n", "\n"), (list, code, end) => {
    const head = parseHead(headOf(`${code} Any reason`, list, end), "GET");
    assert.equal(head.status, code);
    assert.deepEqual(head.headers, list);
    const framing = code === 204 || code === 304 ? "none" : "close";
    assert.deepEqual([head.framing.kind, head.keeps], [framing, framing === "none"]);
  }));
});

Deno.test("where a body ends is known in one way, or the response is refused", () => {
  const framing = (list: readonly Header[], method = "GET", status = "200") =>
    parseHead(headOf(status, list), method).framing;
  assert.deepEqual(framing([["content-length", "12"]]), { kind: "length", length: 12 });
  assert.deepEqual(framing([["Transfer-Encoding", "Chunked"]]), { kind: "chunked" });
  for (
    const [method, status] of [["HEAD", "200"], ["GET", "204"], ["GET", "304"], ["GET", "103"]]
  ) {
    assert.deepEqual(framing([["content-length", "12"]], method, status), { kind: "none" });
  }
  const bad: readonly (readonly Header[])[] = [
    [["content-length", "1"], ["content-length", "2"]],
    [["content-length", "1"], ["Content-Length", "1"]],
    ...["-1", "+1", "1, 2", "1,1", "0x1", "1e3", "", " ", "1 1", "9".repeat(16), "١"].map((text) =>
      [["content-length", text]] as const
    ),
    ...[
      "gzip",
      "gzip, chunked",
      "chunked, chunked",
      "chunked, identity",
      "xchunked",
      "",
      "\x0bchunked",
    ]
      .map((text) => [["transfer-encoding", text]] as const),
    [["transfer-encoding", "chunked"], ["content-length", "1"]],
    [["transfer-encoding", "chunked"], ["transfer-encoding", "identity"]],
  ];
  for (const list of bad) {
    for (const method of ["GET", "HEAD"]) {
      assert.throws(() => framing(list, method), HttpFault, JSON.stringify(list));
    }
  }
  const old = (list: readonly Header[]) =>
    parseHead(headOf("200", list).replace("HTTP/1.1", "HTTP/1.0"), "GET");
  assert.throws(() => old([["transfer-encoding", "chunked"]]), HttpFault);
  assert.equal(old([["content-length", "0"]]).keeps, false);
  const keeps = (value: string) =>
    parseHead(headOf("200", [["content-length", "0"], ["connection", value]]), "GET").keeps;
  assert.deepEqual(
    ["close", "Close", "x, close", "keep-alive", "closed", "x-close"].map(keeps),
    [false, false, false, true, true, true],
  );
});

Deno.test("what is no head of HTTP/1.1 is refused", () => {
  const good = ["HTTP/1.1 200 OK", "a: b"];
  assert.equal(parseHead(`${good.join("\r\n")}\r\n\r\n`, "GET").status, 200);
  for (
    const lines of [
      ...[
        "",
        "HTTP/1.1",
        "HTTP/1.1 20",
        "HTTP/1.1 2000",
        "HTTP/2 200",
        "HTTP/1.2 200",
        "http/1.1 200",
      ],
      ...[
        "HTTP/1.1  200",
        "HTTP/1.1 200\tOK",
        "HTTP/1.1 099",
        "HTTP/1.1 200 a\rb",
        "GET / HTTP/1.1",
      ],
    ].map((line) => [line, "a: b"])
  ) assert.throws(() => parseHead(`${lines.join("\r\n")}\r\n\r\n`, "GET"), HttpFault, lines[0]);
  for (
    const line of [
      ...["a", ": b", "a : b", " a: b", "\ta: b", "a\0: b", "a: b\0", "a: b\rc", "ä: b", "a b: c"],
      ...["a: \x7f", "a: \x0b", "a:b\r"],
    ]
  ) {
    const text = `${good[0]}\r\n${line}\r\n\r\n`;
    assert.throws(() => parseHead(text, "GET"), HttpFault, JSON.stringify(line));
  }
});

Deno.test("no part of a request can end its line or begin another request", () => {
  const odd = fc.string({
    unit: fc.constantFrom("a", "\r", "\n", "\0", " ", ":", "\t", "é", "\u{1f600}"),
  });
  fc.assert(
    fc.property(odd, odd, odd, odd, (method, target, name, value) => {
      let text: string;
      try {
        text = requestHead(method, target, { headers: [[name, value]], length: 3 });
      } catch {
        return;
      }
      const lines = text.split(/\r\n|\r|\n/);
      assert.deepEqual(lines, [
        `${method} ${target} HTTP/1.1`,
        `${name}: ${value}`,
        ...["content-length: 3", "", ""],
      ]);
      assert.match(text, /^[\t\r\n\x20-\x7e\x80-\xff]*$/);
    }),
    { numRuns: 2000 },
  );
  for (const target of ["*", "x", "", "http://h/", "/a b", "/é", "/\r\n", "/\x7f"]) {
    assert.throws(() => requestHead("GET", target, { headers: [] }), target);
  }
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const target = asTarget(`/${text}`);
    assert.match(target, /^\/[\x21-\x7e]*$/);
    assert.equal(asTarget(target), target);
  }));
  assert.equal(asTarget("/a?b='c'&d=%41"), "/a?b='c'&d=%41");
  assert.equal(asTarget('/?"<é\u{1f600}>'), "/?%22%3C%C3%A9%F0%9F%98%80%3E");
});

Deno.test("the size of a chunk is hex and nothing else", () => {
  assert.deepEqual(["0", "a", "A0", "1 ;x", "1;a=b", "000001"].map(chunkSize), [
    0,
    10,
    160,
    1,
    1,
    1,
  ]);
  for (
    const line of ["", " 1", "+1", "-1", "0x1", "g", "1 2", "1\r", ";", "f".repeat(13), "1;\0", "١"]
  ) {
    assert.throws(() => chunkSize(line), HttpFault, JSON.stringify(line));
  }
});
