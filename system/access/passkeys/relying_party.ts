import { parseAddress } from "../../core/net/net.ts";
import { Problem, sentence } from "../../core/errors/problem.ts";

/** Relying party of a passkey (WebAuthn Level 3, 4 and 13.4.9): a host name, on exactly one origin. */
export interface RelyingParty {
  /** Host name without port. */
  readonly id: string;
  readonly origin: string;
}

/** The site that a request belongs to, by its headers. */
export interface RequestSite {
  /** `Host` of the request, with its port. */
  readonly host: string;
  /** The same without port and brackets, lower case; null when malformed. */
  readonly name: string | null;
  readonly tls: boolean;
  /** `Origin` of the request; null without one. */
  readonly origin: string | null;
}

/**
 * The relying party of a request. Browsers create passkeys for names only, over HTTPS or on
 * `localhost`. Throws Problem 400 where there can be none.
 */
export function relyingParty({ host, name, tls, origin }: RequestSite): RelyingParty {
  if (name === null || parseAddress(name) !== null) {
    throw new Problem(
      400,
      "Passkeys belong to a name, not to an address; open this page by one of the router's names",
    );
  }
  const ours = (scheme: string) => URL.parse(`${scheme}://${host}`)?.origin;
  // Behind a proxy that ends TLS the page's own origin says so; what is forged there does not verify.
  const secure = tls || origin !== null && origin === ours("https");
  if (!secure && name !== "localhost" && !name.endsWith(".localhost")) {
    throw new Problem(400, sentence("Passkeys need HTTPS; open https://{name} instead", { name }));
  }
  const expected = ours(secure ? "https" : "http");
  if (expected === undefined || origin !== null && origin !== expected) {
    throw new Problem(400, "Passkeys are used on the router's own pages only");
  }
  return { id: name, origin: expected };
}
