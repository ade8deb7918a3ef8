const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const MAX_TEXT_LENGTH = 256 * 1024;

/** The certificates of a PEM text. */
export function parseCertificates(text: string): readonly string[] {
  return text.slice(0, MAX_TEXT_LENGTH).match(CERTIFICATE) ?? [];
}

/**
 * Reads the additional CA certificates for upstream resolvers; none without the file. One that cannot
 * be read is reported, and the resolver does without it.
 */
export async function readTrustedCertificates(
  path: string,
  unreadable: (error: unknown) => void = () => {},
): Promise<readonly string[]> {
  try {
    return parseCertificates(await Deno.readTextFile(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) unreadable(error);
    return [];
  }
}
