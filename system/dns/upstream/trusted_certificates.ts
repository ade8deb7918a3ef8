/** Certificates in a PEM file, and the bytes that such a file may have at most. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const LARGEST = 256 * 1024;

/** The certificates of a PEM text. */
export function certificatesOf(text: string): readonly string[] {
  return text.slice(0, LARGEST).match(CERTIFICATE) ?? [];
}

/** Reads the certificates that people trust for their upstream; none without the file. */
export async function readTrusted(path: string): Promise<readonly string[]> {
  try {
    return certificatesOf(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
