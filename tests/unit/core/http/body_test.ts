import assert from "node:assert/strict";
import fc from "fast-check";
import { BodyReader } from "../../../../system/core/ipc/http/body.ts";
import { ByteReader } from "../../../../system/core/ipc/http/byte_reader.ts";
import { type Framing, HttpFault } from "../../../../system/core/ipc/http/head.ts";

/** A source that gives bytes in pieces of these sizes, over and over. */
function source(bytes: Uint8Array, sizes: readonly number[]) {
  let at = 0, turn = 0;
  return {
    read(buffer: Uint8Array): Promise<number | null> {
      if (at === bytes.length) return Promise.resolve(null);
      assert.ok(buffer.length > 0, "there is room");
      const size = Math.min(sizes[turn++ % sizes.length]!, buffer.length, bytes.length - at);
      buffer.set(bytes.subarray(at, at + size));
      at += size;
      return Promise.resolve(size);
    },
  };
}

const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const joined = (...parts: readonly Uint8Array[]) =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

async function readAll(reader: ByteReader, framing: Framing): Promise<Uint8Array> {
  const body = new BodyReader(reader, framing), parts: Uint8Array[] = [];
  for (let part; (part = await body.next()) !== null;) parts.push(part);
  assert.ok(body.isOver);
  return joined(...parts);
}

/** Bytes in chunks of these sizes. */
function chunked(bytes: Uint8Array, sizes: readonly number[], extension: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length;) {
    const part = bytes.subarray(at, at + sizes[turn++ % sizes.length]!);
    parts.push(latin1(`${part.length.toString(16)}${extension}\r\n`), part, latin1("\r\n"));
    at += part.length;
  }
  return joined(...parts, latin1("0\r\nx-trailer: 1\r\n\r\n"));
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const HEAD = "HTTP/1.1 200 OK\r\na: b\r\n\r\n";

Deno.test("a body is read whole and no further, however it comes in pieces", async () => {
  await fc.assert(
    fc.asyncProperty(
      ...[
        fc.uint8Array({ maxLength: 200 }),
        sizes,
        sizes,
        fc.constantFrom("", ";x=1", " "),
      ] as const,
      fc.constantFrom("length", "chunked", "close"),
      async (bytes, reads, chunks, extension, kind) => {
        const framing: Framing = kind === "length"
          ? { kind, length: bytes.length }
          : { kind: kind as "chunked" | "close" };
        const wire = kind === "chunked" ? chunked(bytes, chunks, extension) : bytes;
        const next = kind === "close" ? new Uint8Array(0) : latin1("HTTP");
        const reader = new ByteReader(source(joined(latin1(HEAD), wire, next), reads));
        assert.equal(await reader.head(), HEAD);
        assert.deepEqual(await readAll(reader, framing), bytes);
        while (await reader.more());
        assert.deepEqual(reader.take(9), next);
        // Cut off anywhere, it is never taken for whole.
        if (kind === "close" || wire.length === 0) return;
        const cut = joined(latin1(HEAD), wire).subarray(0, HEAD.length + wire.length - 1);
        const short = new ByteReader(source(cut, reads));
        await short.head();
        await assert.rejects(readAll(short, framing), HttpFault);
      },
    ),
  );
});

Deno.test("large heads and bodies pass through a buffer that grows and moves", async () => {
  const head = `HTTP/1.1 200 OK\r\na: ${"x".repeat(60_000)}\r\n\r\n`;
  const bytes = new Uint8Array(1 << 20).map((_, at) => at * 7);
  for (const reads of [[1 << 20], [1000, 1], [65_536, 3]]) {
    const reader = new ByteReader(source(joined(latin1(head), bytes), reads));
    assert.equal(await reader.head(), head);
    const body = new BodyReader(reader, { kind: "length", length: bytes.length });
    let at = 0;
    for (let part; (part = await body.next()) !== null; at += part.length) {
      assert.deepEqual(part, bytes.slice(at, at + part.length));
    }
    assert.equal(at, bytes.length);
  }
});

Deno.test("heads, lines and trailers without an end are refused before they fill the memory", async () => {
  let given = 0;
  const endless = (text: string) => ({
    read(buffer: Uint8Array): Promise<number> {
      const bytes = latin1(text.repeat(Math.ceil(buffer.length / text.length))).subarray(
        0,
        buffer.length,
      );
      buffer.set(bytes);
      given += bytes.length;
      return Promise.resolve(bytes.length);
    },
  });
  for (const text of ["a", "a: b\r\n"]) {
    given = 0;
    await assert.rejects(new ByteReader(endless(text)).head(), HttpFault);
    assert.ok(given < 1 << 20);
  }
  for (const text of ["1", "0\r\n", "0\r\na: b\r\n"]) {
    given = 0;
    const body = new BodyReader(new ByteReader(endless(text)), { kind: "chunked" });
    await assert.rejects(async () => {
      while (await body.next() !== null);
    }, HttpFault);
    assert.ok(given < 1 << 20);
  }
});

Deno.test("chunks with another end than CR LF are refused", async () => {
  for (
    const text of [
      ...["1\na\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n", "1\r\nab\r\n0\r\n\r\n", "1\r\na0\r\n\r\n"],
      ...["1\r\r\na\r\n", "1\r\na\r\n\r\n0\r\n\r\n", "z\r\n", "0\r\n\n", "\r\n"],
    ]
  ) {
    const reader = new ByteReader(source(latin1(text), [100]));
    await assert.rejects(readAll(reader, { kind: "chunked" }), HttpFault, JSON.stringify(text));
  }
});
