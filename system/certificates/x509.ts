// The library's container asks for it before it is loaded itself.
import "reflect-metadata";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { formatAddress, parseAddress } from "../core/net/net.ts";
import type { CertificateNames, Validity } from "./rules.ts";

/** A certificate and its key as PEM texts. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** Characters of a common name (RFC 5280 A.1, ub-common-name); the names that count stand elsewhere. */
const MAX_COMMON_NAME = 64;
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/;

/** Creates a CA certificate called `name`. */
export async function makeCaCertificate(name: string, validity: Validity): Promise<KeyPair> {
  const keys = await newKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    serialNumber: serialNumber(),
    notBefore: new Date(validity.from),
    notAfter: new Date(validity.to),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${cert.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

/** Issues a server certificate for these names, signed by a CA. */
export async function makeCertificate(
  authority: KeyPair,
  subject: CertificateNames & { readonly validity: Validity },
): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.cert);
  const keys = await newKeys();
  const { dns, ip, validity } = subject;
  const cert = await X509CertificateGenerator.create({
    subject: [{ CN: [(dns[0] ?? "router").slice(0, MAX_COMMON_NAME)] }],
    issuer: issuer.subject,
    serialNumber: serialNumber(),
    notBefore: new Date(validity.from),
    notAfter: new Date(validity.to),
    publicKey: keys.publicKey,
    signingKey: await keyOf(authority.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...dns.map((value) => ({ type: "dns", value } as const)),
        ...ip.map((value) => ({ type: "ip", value } as const)),
      ]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { cert: `${cert.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

/** Validity and names of the first certificate in a PEM text. Throws without one. */
export function readCertificate(pem: string): Validity & CertificateNames {
  const cert = parse(pem);
  const names = cert.getExtension(SubjectAlternativeNameExtension)?.names.items ?? [];
  return {
    from: cert.notBefore.getTime(),
    to: cert.notAfter.getTime(),
    dns: names.filter(({ type }) => type === "dns").map(({ value }) => value.toLowerCase()),
    ip: names.filter(({ type }) => type === "ip").map(({ value }) => canonical(value)),
  };
}

/** True when the CA signed the first certificate of a text. Never throws. */
export async function isSignedBy(pem: string, authority: string): Promise<boolean> {
  try {
    const { publicKey } = parse(authority);
    return await parse(pem).verify({ publicKey, signatureOnly: true });
  } catch {
    return false;
  }
}

/** True when the key belongs to the certificate. Never throws. */
export async function keyMatches({ cert, key }: KeyPair): Promise<boolean> {
  try {
    const sample = crypto.getRandomValues(new Uint8Array(32));
    const signed = await crypto.subtle.sign(ALGORITHM, await keyOf(key), sample);
    return await crypto.subtle.verify(
      ALGORITHM,
      await parse(cert).publicKey.export(),
      signed,
      sample,
    );
  } catch {
    return false;
  }
}

/** SHA-256 of a certificate in hex pairs, as browsers show it. */
export async function fingerprint(pem: string): Promise<string> {
  const bytes = new Uint8Array(await parse(pem).getThumbprint("SHA-256"));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}

function parse(pem: string): X509Certificate {
  const first = PEM.exec(pem)?.[0];
  if (first === undefined) throw new TypeError("There is no certificate in this text");
  return new X509Certificate(first);
}

function canonical(address: string): string {
  const parsed = parseAddress(address);
  return parsed === null ? address : formatAddress(parsed);
}

async function newKeys(): Promise<CryptoKeyPair> {
  return await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
}

/** A positive number of 127 bits (RFC 5280 4.1.2.2). */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = bytes[0]! & 0x7f | 0x40;
  return bytes.toHex();
}

async function pemOf(key: CryptoKey): Promise<string> {
  const text = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key)).toBase64();
  const lines = text.match(/.{1,64}/g)!.join("\n");
  return `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`;
}

async function keyOf(pem: string): Promise<CryptoKey> {
  const text = /-----BEGIN PRIVATE KEY-----([\s\S]+?)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  if (text === undefined) throw new TypeError("The key is not in the form of PKCS #8");
  const bytes = Uint8Array.fromBase64(text.replaceAll(/\s/g, ""));
  return await crypto.subtle.importKey("pkcs8", bytes, ALGORITHM, false, ["sign"]);
}
