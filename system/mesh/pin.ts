import "reflect-metadata";
import { BasicConstraintsExtension, X509Certificate } from "@peculiar/x509";

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/;

/**
 * True when a router that shows this certificate (DER) is the one that the pin was taken from. A pinned CA
 * covers the certificates that it issued, so that a router may renew its own; any other pin covers itself
 * alone, since its issuer has other customers. Never throws.
 */
export async function isPinned(certificate: Uint8Array, pin: string): Promise<boolean> {
  try {
    const first = PEM.exec(pin)?.[0];
    if (first === undefined) return false;
    const pinned = new X509Certificate(first);
    const shown = new X509Certificate(certificate as Uint8Array<ArrayBuffer>);
    if (shown.toString("base64") === pinned.toString("base64")) return true;
    if (pinned.getExtension(BasicConstraintsExtension)?.ca !== true) return false;
    return shown.issuer === pinned.subject &&
      await shown.verify({ publicKey: pinned.publicKey, signatureOnly: true });
  } catch {
    return false;
  }
}
