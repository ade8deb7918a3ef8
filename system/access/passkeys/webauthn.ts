import { Problem } from "../../core/errors/problem.ts";
import type { Ceremonies, Ceremony, CeremonyKind } from "./ceremonies.ts";
import { base64url, type RandomBytes } from "../digest.ts";
import type { AssertionAnswer, CeremonyOptions, RegistrationAnswer } from "./passkey_schema.ts";
import type { Passkey, Passkeys } from "./passkeys.ts";
import { CEREMONY_LIMITS } from "./ceremonies.ts";
import type { RelyingParty } from "./relying_party.ts";

/** COSE algorithms of new passkeys (RFC 9053, RFC 8812): ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257];

/** Bytes of a challenge and of a user's name for authenticators (WebAuthn 5.4.3: at most 64). */
const SIZES = { challenge: 32, handle: 64 } as const;

/** Relying party and source address of a ceremony. */
export interface CeremonyContext {
  readonly party: RelyingParty;
  /** Source address of the connection. */
  readonly source: string;
}

/** Result of an assertion. `reason` is for the log only: it would help an attacker. */
export type Assertion =
  | { readonly ok: true; readonly passkey: Passkey; readonly cloned: boolean }
  | { readonly ok: false; readonly user: string | null; readonly reason: string };

/** Dependencies of {@link WebAuthn}. */
export interface WebAuthnOptions {
  readonly passkeys: Passkeys;
  readonly ceremonies: Ceremonies;
  readonly random: RandomBytes;
  /** Unix milliseconds. */
  readonly now: () => number;
}

// Loaded when first needed: most starts never see a passkey.
const library = () => import("@simplewebauthn/server");

/** The passkey ceremonies (WebAuthn Level 3, section 7): creates options, verifies responses. */
export class WebAuthn {
  readonly #options: WebAuthnOptions;

  constructor(options: WebAuthnOptions) {
    this.#options = options;
  }

  /** Throws Problem 429. */
  async beginRegistration(
    user: string,
    name: string,
    { party, source }: CeremonyContext,
  ): Promise<CeremonyOptions> {
    const { passkeys, random } = this.#options;
    const own = passkeys.of(user);
    const handle = own[0]?.handle ?? base64url(random(SIZES.handle));
    const challenge = base64url(random(SIZES.challenge));
    const Session = this.#options.ceremonies.begin({
      kind: "register",
      source,
      user,
      challenge,
      party,
      name,
      handle,
    });
    const { generateRegistrationOptions } = await library();
    const publicKey = await generateRegistrationOptions({
      rpName: "Sluice",
      rpID: party.id,
      userName: user,
      userDisplayName: user,
      userID: bytes(handle),
      challenge: bytes(challenge),
      timeout: CEREMONY_LIMITS.lasts,
      attestationType: "none",
      excludeCredentials: own.filter(({ host }) => host === party.id).map(descriptorOf),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return { Session, Options: { publicKey: { ...publicKey } } };
  }

  /** The new passkey, stored. Throws Problem 400, 409. */
  async finishRegistration(
    user: string,
    answer: RegistrationAnswer,
    source: string,
  ): Promise<Passkey> {
    const ceremony = this.#take(answer.session, { kind: "register", user, source });
    const { credential } = answer;
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} },
      expectedChallenge: ceremony.challenge,
      expectedOrigin: ceremony.party.origin,
      expectedRPID: ceremony.party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch((error) => {
      throw new Problem(400, `This passkey cannot be used: ${error.message}`);
    });
    if (registrationInfo === undefined) {
      throw new Problem(400, "This passkey could not be verified");
    }
    const row: Passkey = {
      id: registrationInfo.credential.id,
      user,
      name: ceremony.name || "passkey",
      publicKey: base64url(registrationInfo.credential.publicKey),
      counter: registrationInfo.credential.counter,
      transports: credential.response.transports,
      handle: ceremony.handle,
      host: ceremony.party.id,
      createdAt: this.#options.now(),
      lastUsed: 0,
    };
    await this.#options.passkeys.add(row);
    return row;
  }

  /** `user` null: any user with a passkey for this host. Throws Problem 400 without one, 429. */
  async beginAssertion(
    kind: Exclude<CeremonyKind, "register">,
    user: string | null,
    { party, source }: CeremonyContext,
  ): Promise<CeremonyOptions> {
    const { passkeys, ceremonies, random } = this.#options;
    const own = user === null ? [] : passkeys.of(user).filter(({ host }) => host === party.id);
    if (user === null ? !passkeys.worksOn(party.id) : own.length === 0) {
      throw new Problem(400, `No passkey is registered for ${party.id} yet`);
    }
    const challenge = base64url(random(SIZES.challenge));
    const Session = ceremonies.begin({
      kind,
      source,
      user,
      challenge,
      party,
      name: "",
      handle: "",
    });
    const { generateAuthenticationOptions } = await library();
    const publicKey = await generateAuthenticationOptions({
      rpID: party.id,
      challenge: bytes(challenge),
      timeout: CEREMONY_LIMITS.lasts,
      userVerification: "required",
      allowCredentials: own.map(descriptorOf),
    });
    return { Session, Options: { publicKey: { ...publicKey } } };
  }

  /** Verifies an assertion. Throws Problem 400 when no such ceremony is pending. */
  async finishAssertion(
    kind: Exclude<CeremonyKind, "register">,
    user: string | null,
    { answer, source }: { readonly answer: AssertionAnswer; readonly source: string },
  ): Promise<Assertion> {
    const ceremony = this.#take(answer.session, { kind, user, source });
    const { credential } = answer;
    const passkey = this.#options.passkeys.find(credential.id);
    const { userHandle, ...response } = credential.response;
    if (
      passkey === undefined || user !== null && passkey.user !== user ||
      passkey.host !== ceremony.party.id ||
      userHandle !== undefined && userHandle !== passkey.handle ||
      // Without a name given before, the authenticator itself must say whose it is (WebAuthn 7.2).
      user === null && userHandle === undefined
    ) return { ok: false, user, reason: "the passkey is not known here" };
    const failed = (reason: string): Assertion => ({ ok: false, user: passkey.user, reason });
    const { verifyAuthenticationResponse } = await library();
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: { ...credential, response, clientExtensionResults: {} },
        expectedChallenge: ceremony.challenge,
        expectedOrigin: ceremony.party.origin,
        expectedRPID: ceremony.party.id,
        requireUserVerification: true,
        // The counter is checked below: one that does not increase is a warning, not a failure.
        credential: { id: passkey.id, publicKey: bytes(passkey.publicKey), counter: 0 },
      });
      if (!verified) return failed("the signature is wrong");
      const counter = authenticationInfo.newCounter;
      await this.#options.passkeys.used(passkey.id, { counter, at: this.#options.now() });
      const cloned = (counter > 0 || passkey.counter > 0) && counter <= passkey.counter;
      return { ok: true, passkey, cloned };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }

  #take(id: string, answer: Pick<Ceremony, "kind" | "source" | "user">): Ceremony {
    const ceremony = this.#options.ceremonies.take(id, answer);
    if (ceremony !== null) return ceremony;
    const message = "This passkey ceremony is over, or was never begun here; begin again";
    throw new Problem(400, message, { errors: [{ pointer: "/session", message }] });
  }
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

function descriptorOf({ id, transports }: Passkey): { readonly id: string; transports: string[] } {
  return { id, transports: [...transports] };
}
