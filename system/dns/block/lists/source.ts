import { parseAddress } from "../../../core/net/net.ts";
import { isNonPublicAddress } from "../verdict/rebinding.ts";

const MAX_URI_LENGTH = 2048;
/** URI of an uploaded list. */
const UPLOAD_URI = /^upload:[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$/;

/** True for the URI of an uploaded list. */
export function isUpload(uri: string): boolean {
  return UPLOAD_URI.test(uri);
}

/** Why the URI of a list is invalid; null when it is valid. */
export function invalidSource(uri: string): string | null {
  if (uri.length > MAX_URI_LENGTH) return `Enter at most ${MAX_URI_LENGTH} characters`;
  if (uri.startsWith("upload:")) {
    return isUpload(uri)
      ? null
      : "The name of an uploaded list may have at most 63 letters, digits, spaces, dots and hyphens";
  }
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(uri) || !URL.canParse(uri)) {
    return "Enter a URL such as https://lists.example.com/hosts";
  }
  const url = new URL(uri);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return "Enter an https or http URL, or upload the list";
  }
  if (url.username !== "" || url.password !== "") {
    return "Omit user name and password: they would be visible to everyone who can read the lists";
  }
  const address = literalAddress(url);
  return address !== null && isNonPublicAddress(address)
    ? "This address is not on the Internet; upload a list of your own instead"
    : null;
}

/** The literal IP address in a URL; null when it has a host name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return parseAddress(bare) === null ? null : bare;
}
