import assert from "node:assert/strict";
import { MessageBoundary, textFrames } from "../../../../routes/http/front/websocket_frames.ts";

const encoder = new TextEncoder();
const HEAD = encoder.encode("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n");

Deno.test("texts become frames with lengths of one, three and nine bytes (RFC 6455, 5.2)", () => {
  // The example of RFC 6455, 5.7.
  assert.deepEqual([...textFrames(["Hello"])], [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]);
  const heads: readonly (readonly [size: number, head: readonly number[]])[] = [
    [0, [0x81, 0]],
    [125, [0x81, 125]],
    [126, [0x81, 126, 0, 126]],
    [65_535, [0x81, 126, 0xff, 0xff]],
    [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  ];
  for (const [size, head] of heads) {
    const frame = textFrames(["x".repeat(size)]);
    assert.deepEqual([...frame.subarray(0, head.length)], head, `${size}`);
    assert.equal(frame.length, head.length + size);
  }
  assert.deepEqual([...textFrames(["é", "b"])], [0x81, 2, 0xc3, 0xa9, 0x81, 1, 0x62]);
});

Deno.test("another message fits behind the response's header and behind each whole message", () => {
  const ping = new Uint8Array([0x89, 0]);
  const texts = textFrames(["a", "x".repeat(300), "y".repeat(70_000)]);
  const bytes = new Uint8Array([...HEAD, ...texts, ...ping]);
  const boundary = new MessageBoundary();
  assert.equal(boundary.isHere, false);
  const here: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    boundary.follow(bytes.subarray(at, at + 1));
    if (boundary.isHere) here.push(at + 1 - HEAD.length);
  }
  assert.deepEqual(here, [0, 3, 307, 70_317, 70_319]);
  const whole = new MessageBoundary();
  whole.follow(bytes.subarray(0, bytes.length - 1));
  assert.equal(whole.isHere, false);
  whole.follow(bytes.subarray(bytes.length - 1));
  assert.equal(whole.isHere, true);
});

Deno.test("no message fits between the frames of another", () => {
  const boundary = new MessageBoundary();
  boundary.follow(HEAD);
  boundary.follow(new Uint8Array([0x01, 1, 0x61]));
  assert.equal(boundary.isHere, false);
  boundary.follow(new Uint8Array([0x80, 1, 0x62]));
  assert.equal(boundary.isHere, true);
});

Deno.test("a control frame amid the frames of a message leaves no room for another", () => {
  const boundary = new MessageBoundary();
  boundary.follow(HEAD);
  boundary.follow(new Uint8Array([0x01, 1, 0x61]));
  for (const opcode of [9, 10]) {
    boundary.follow(new Uint8Array([0x80 | opcode, 1, 0x62]));
    assert.equal(boundary.isHere, false, `opcode ${opcode}`);
  }
  boundary.follow(new Uint8Array([0x80, 1, 0x62]));
  assert.equal(boundary.isHere, true);
  assert.equal(boundary.isClosed, false);
});

Deno.test("no message fits behind the Close frame", () => {
  const boundary = new MessageBoundary();
  boundary.follow(HEAD);
  boundary.follow(new Uint8Array([0x88, 2, 0x03]));
  assert.deepEqual([boundary.isHere, boundary.isClosed], [false, true]);
  boundary.follow(new Uint8Array([0xe8]));
  assert.deepEqual([boundary.isHere, boundary.isClosed], [false, true]);
});
