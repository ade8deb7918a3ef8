const encoder = new TextEncoder();

/** Texts as the frames of a server, one message each (RFC 6455, section 5.2): not masked, not split. */
export function textFrames(texts: readonly string[]): Uint8Array<ArrayBuffer> {
  const payloads = texts.map((text) => encoder.encode(text));
  const frames = new Uint8Array(
    payloads.reduce((size, { length }) => size + headLength(length) + length, 0),
  );
  const view = new DataView(frames.buffer);
  let at = 0;
  for (const payload of payloads) {
    const { length } = payload;
    frames[at] = FINAL | TEXT;
    if (length < 126) frames[at + 1] = length;
    else if (length < 1 << 16) {
      frames[at + 1] = 126;
      view.setUint16(at + 2, length);
    } else {
      frames[at + 1] = 127;
      view.setBigUint64(at + 2, BigInt(length));
    }
    at += headLength(length);
    frames.set(payload, at);
    at += length;
  }
  return frames;
}

const FINAL = 0x80, TEXT = 1, CLOSE = 8, OPCODE = 0x0f;

function headLength(payload: number): number {
  if (payload < 126) return 2;
  return payload < 1 << 16 ? 4 : 10;
}

/**
 * Follows what a server sends on a connection that becomes a WebSocket, from the first byte of the
 * response on, and says between which bytes a message of somebody else fits.
 */
export class MessageBoundary {
  /** The end of the response's header that has come so far; null once it is whole. */
  #headEnd: string | null = "";
  /** Bytes of the frame's header so far, and payload that is still to come. */
  readonly #frame: number[] = [];
  #payload = 0;
  /** The last frame of a message ends it; control frames may come amid its frames. */
  #isFinal = true;
  #isClosed = false;

  /** True once the server has sent a Close frame: nothing may follow it (RFC 6455, 5.5.1). */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True where the next byte begins a message. */
  get isHere(): boolean {
    return !this.#isClosed && this.#headEnd === null && this.#frame.length === 0 &&
      this.#payload === 0 &&
      this.#isFinal;
  }

  /** Follows further bytes. */
  follow(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#headEnd !== null) {
        const end = this.#headEnd.slice(-3) + String.fromCharCode(bytes[at++]!);
        this.#headEnd = end === "\r\n\r\n" ? null : end;
      } else if (this.#payload > 0) {
        const passed = Math.min(this.#payload, bytes.length - at);
        this.#payload -= passed;
        at += passed;
      } else this.#followHead(bytes[at++]!);
    }
  }

  #followHead(byte: number): void {
    const frame = this.#frame;
    frame.push(byte);
    if (frame.length < 2) return;
    const short = frame[1]!;
    const length = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (frame.length < length) return;
    this.#payload = length === 2 ? short : frame.slice(2).reduce((sum, one) => sum * 256 + one, 0);
    const opcode = frame[0]! & OPCODE;
    if (opcode < CLOSE) this.#isFinal = (frame[0]! & FINAL) !== 0;
    else if (opcode === CLOSE) this.#isClosed = true;
    frame.length = 0;
  }
}
