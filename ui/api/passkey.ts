import { call } from "./client.ts";
import { t } from "../text/language.ts";

interface Ceremony {
  readonly Session: string;
  readonly Options: {
    readonly publicKey:
      & PublicKeyCredentialCreationOptionsJSON
      & PublicKeyCredentialRequestOptionsJSON;
  };
}

/** An address in the place of a name, to which no passkey can belong (WebAuthn, 5.1.3). */
const ADDRESS = /^[\d.]+$|^\[/;

/** True where the browser lets this page use passkeys: by a name over HTTPS, or on localhost. */
export function passkeysWork(): boolean {
  return !ADDRESS.test(location.hostname) && typeof PublicKeyCredential === "function" &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function";
}

/**
 * Begins a ceremony at the router, lets the person's authenticator answer, and hands the answer in.
 * Throws ApiProblem, and Error in words where the person or the browser gives up.
 */
export async function passkey<T>(
  what: "register" | "validate" | "login",
  query: Readonly<Record<string, string>> = {},
): Promise<T> {
  const path = `/webauthn/${what}`;
  const quiet = what !== "register";
  const { body: begun } = await call<Ceremony>({ method: "PUT", path, query, quiet });
  const credential = await ask(what, begun.Options.publicKey);
  const answer = { session: begun.Session, credential };
  return (await call<T>({ method: "POST", path, body: answer, quiet })).body;
}

async function ask(
  what: string,
  options: Ceremony["Options"]["publicKey"],
): Promise<unknown> {
  try {
    const credential = what === "register"
      ? await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
      })
      : await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
      });
    return (credential as PublicKeyCredential | null)?.toJSON();
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "NotAllowedError") {
      throw new Error(t("No passkey was used. The request was cancelled or timed out."));
    }
    if (name === "InvalidStateError") {
      throw new Error(t("This authenticator already has a passkey for this router."));
    }
    throw error;
  }
}
