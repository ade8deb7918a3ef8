import { createHash } from "node:crypto";

/** A passkey in a {@link SoftAuthenticator}. */
interface Held {
  readonly id: Uint8Array<ArrayBuffer>;
  readonly keys: CryptoKeyPair;
  readonly host: string;
  readonly handle: string;
  counter: number;
}

/** How an answer differs from what a good authenticator gives. */
export interface Faults {
  /** Page that asks. */
  readonly origin?: string;
  readonly type?: string;
  readonly challenge?: string;
  /** Flags of the authenticator data: 1 present, 4 verified. */
  readonly flags?: number;
  readonly counter?: number;
  readonly host?: string;
  /** Signs with the key of another. */
  readonly forged?: boolean;
  readonly handle?: string | null;
}

interface PublicKey {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
  readonly rpId?: string;
}

/** What the ceremonies of the API answer. */
export interface Begun {
  readonly Session: string;
  readonly Options: { readonly publicKey: PublicKey };
}

const PRESENT_AND_VERIFIED = 0x05, WITH_KEY = 0x40;

/** An authenticator in software: ES256, resident, its user always verified (WebAuthn Level 3, 6). */
export class SoftAuthenticator {
  readonly #held: Held[] = [];

  /** Makes a passkey; answers the body of `POST /webauthn/register`. */
  async create(begun: Begun, origin: string, faults: Faults = {}): Promise<unknown> {
    const { publicKey } = begun.Options;
    const host = publicKey.rp!.id;
    const held: Held = {
      id: crypto.getRandomValues(new Uint8Array(16)),
      keys: await makeKeys(),
      host,
      handle: publicKey.user!.id,
      counter: 0,
    };
    this.#held.push(held);
    const key = await coseKey(held.keys.publicKey);
    const length = new Uint8Array([held.id.length >> 8, held.id.length & 255]);
    const data = join(
      head(faults.host ?? host, (faults.flags ?? PRESENT_AND_VERIFIED) | WITH_KEY, 0),
      new Uint8Array(16),
      length,
      held.id,
      key,
    );
    const id = text(held.id);
    return {
      session: begun.Session,
      credential: {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: clientData("webauthn.create", publicKey, { origin, ...faults }),
          attestationObject: text(
            cbor(
              new Map<string, Cbor>([
                ["fmt", "none"],
                ["attStmt", new Map()],
                ["authData", data],
              ]),
            ),
          ),
          transports: ["internal"],
        },
        clientExtensionResults: {},
      },
    };
  }

  /** Signs with a passkey for the host; answers the body of `POST /webauthn/login` or `validate`. */
  async get(begun: Begun, origin: string, faults: Faults = {}): Promise<unknown> {
    const { publicKey } = begun.Options;
    const held = this.#held.findLast(({ host }) => host === publicKey.rpId);
    if (!held) throw new Error(`No passkey for ${publicKey.rpId}`);
    const counter = faults.counter ?? ++held.counter;
    const data = head(faults.host ?? held.host, faults.flags ?? PRESENT_AND_VERIFIED, counter);
    const client = clientData("webauthn.get", publicKey, { origin, ...faults });
    const signed = join(data, sha256(Uint8Array.fromBase64(client, { alphabet: "base64url" })));
    const { privateKey } = faults.forged ? await makeKeys() : held.keys;
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const signature = new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, signed));
    const handle = faults.handle === undefined ? held.handle : faults.handle;
    const id = text(held.id);
    return {
      session: begun.Session,
      credential: {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: client,
          authenticatorData: text(data),
          signature: text(der(signature)),
          userHandle: handle,
        },
        clientExtensionResults: {},
      },
    };
  }
}

async function makeKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

function head(host: string, flags: number, counter: number): Uint8Array<ArrayBuffer> {
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, counter);
  return join(sha256(new TextEncoder().encode(host)), new Uint8Array([flags]), count);
}

function clientData(type: string, { challenge }: PublicKey, faults: Faults): string {
  const data = { type, challenge, origin: "", crossOrigin: false, ...pick(faults) };
  return text(new TextEncoder().encode(JSON.stringify(data)));
}

function pick({ origin, type, challenge }: Faults): Partial<Record<string, string>> {
  return { ...(origin && { origin }), ...(type && { type }), ...(challenge && { challenge }) };
}

/** EC2 key of RFC 9053 7.1.1. */
async function coseKey(key: CryptoKey): Promise<Uint8Array<ArrayBuffer>> {
  const jwk = await crypto.subtle.exportKey("jwk", key);
  const point = (value: string | undefined) =>
    Uint8Array.fromBase64(value!, { alphabet: "base64url" });
  return cbor(
    new Map<number, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, point(jwk.x)], [-3, point(jwk.y)]]),
  );
}

type Cbor = number | string | Uint8Array | Map<number, Cbor> | Map<string, Cbor>;

/** Integers, text, bytes and maps of RFC 8949, as short as they are needed here. */
function cbor(value: Cbor): Uint8Array<ArrayBuffer> {
  if (typeof value === "number") return value < 0 ? item(1, -1 - value) : item(0, value);
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return join(item(3, bytes.length), bytes);
  }
  if (value instanceof Uint8Array) return join(item(2, value.length), value);
  const pairs = [...value].flatMap(([key, one]) => [cbor(key), cbor(one)]);
  return join(item(5, value.size), ...pairs);
}

function item(major: number, value: number): Uint8Array<ArrayBuffer> {
  const first = major << 5;
  if (value < 24) return new Uint8Array([first | value]);
  if (value < 256) return new Uint8Array([first | 24, value]);
  return new Uint8Array([first | 25, value >> 8, value & 255]);
}

/** A signature of two numbers as DER (RFC 3279 2.2.3). */
function der(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const number = (bytes: Uint8Array) => {
    let start = 0;
    while (start < bytes.length - 1 && bytes[start] === 0) start++;
    const rest = bytes.slice(start);
    const value = rest[0]! & 0x80 ? join(new Uint8Array(1), rest) : rest;
    return join(new Uint8Array([2, value.length]), value);
  };
  const both = join(number(raw.slice(0, 32)), number(raw.slice(32)));
  return join(new Uint8Array([0x30, both.length]), both);
}

function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function text(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
