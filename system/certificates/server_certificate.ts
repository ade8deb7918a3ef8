import { files } from "../core/config/files.ts";
import type { Log } from "../core/log/log.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { conflict, Problem } from "../core/errors/problem.ts";
import {
  CA_DAYS,
  CERTIFICATE_DAYS,
  type CertificateFacts,
  type CertificateNames,
  isWithin,
  renewalReason,
  validFor,
} from "./rules.ts";
import type { CertificateStatus } from "./schema.ts";
import {
  type CertificatePaths,
  certificatePaths,
  finishMoves,
  movePair,
  readPair,
  removePair,
  writePair,
} from "./store.ts";
import type { KeyPair } from "./x509.ts";

/** Milliseconds between checks of the certificate. */
const CHECK_INTERVAL_MS = 60_000;
/** Milliseconds before the CA certificate expires at which a notice is opened: 60 days. */
const WARN_BEFORE_MS = 60 * 86_400_000;
/** Milliseconds for the response to be sent before the listener closes. */
const CLOSE_DELAY_MS = 250;

/** Dependencies of {@link ServerCertificate}. */
export interface ServerCertificateOptions {
  readonly home: string;
  /** The router's names and addresses now. */
  readonly wanted: () => CertificateNames;
  /** Calls the listener whenever they may have changed; returns the unsubscribe function. */
  readonly onNamesChange: (listener: () => void) => () => void;
  /**
   * Serves TLS with this pair from now on, without losing a running request; null: no more. Throws
   * Problem when it cannot.
   */
  readonly serve: (pair: KeyPair | null) => Promise<void>;
  readonly notices: Pick<NoticeBoard, "open" | "settle">;
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Loaded on demand: most of the time no certificate is issued. */
const x509 = () => import("./x509.ts");

/**
 * The router's certificate: issued by a local CA for the router's own names, renewed before it expires
 * or when the names change. A certificate that people installed is served and left unchanged.
 */
export class ServerCertificate {
  readonly #options: ServerCertificateOptions;
  readonly #paths: CertificatePaths;
  #timer: ReturnType<typeof setInterval> | undefined;
  #closeTimer: ReturnType<typeof setTimeout> | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #unsubscribe = (): void => {};
  /** The certificate that is served. */
  #served: { readonly pair: KeyPair; readonly facts: CertificateFacts } | null = null;

  constructor(options: ServerCertificateOptions) {
    this.#options = options;
    this.#paths = certificatePaths(options.home);
  }

  /** Serves the current certificate, and checks it from now on. Never throws. */
  async start(live = true): Promise<void> {
    await this.check();
    this.#unsubscribe = this.#options.onNamesChange(() => void this.check());
    if (live) this.#timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS);
  }

  /** Serves the stored certificate, renewing it where needed. Never throws: HTTP keeps working. */
  async check(): Promise<void> {
    await this.#enqueue(async () => {
      try {
        await this.#refresh();
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        this.#options.log.error(
          "certificates.certificate_unusable",
          "The TLS certificate cannot be used",
          { detail },
        );
        await this.#options.notices.open(
          "certificate",
          `The TLS certificate cannot be used: ${detail}`,
        );
      }
    });
  }

  /** DNS names of the certificate that is served. */
  get names(): readonly string[] {
    return this.#served?.facts.dns ?? [];
  }

  /** True while a certificate is installed. */
  async isEnabled(): Promise<boolean> {
    return await files.read(this.#paths.active.cert) !== null;
  }

  /** The local CA certificate, which people trust once; null when there is none yet. */
  async caCertificate(): Promise<string | null> {
    return await files.read(this.#paths.ca.cert);
  }

  /**
   * The certificate by which another router can trust this one: the local CA, so that renewals need no new
   * trust, else the one that people installed. Null without TLS.
   */
  async trustedCertificate(): Promise<string | null> {
    if (this.#served === null) return null;
    return this.#served.facts.own ? await this.caCertificate() : this.#served.pair.cert;
  }

  /** TLS state in responses. A file that is no certificate counts as none. */
  async status(): Promise<CertificateStatus> {
    const authority = await this.caCertificate();
    const known = authority === null ? null : await this.#describe(authority).catch(() => null);
    const facts = this.#served?.facts ?? null;
    return { on: await this.isEnabled(), certificate: facts, authority: known };
  }

  /**
   * Enables TLS. Throws Problem: 400 when it is on, 409 when the stored files are no certificate and
   * key, 503 when the port cannot be opened.
   */
  async enable(): Promise<void> {
    await this.#enqueue(async () => {
      if (await this.isEnabled()) throw new Problem(400, "TLS is on already");
      clearTimeout(this.#closeTimer);
      const { active, disabled } = this.#paths;
      try {
        if (await readPair(disabled) !== null) await movePair(disabled, active);
        else await writePair(active, await this.#issue());
      } catch (error) {
        throw unusable(error);
      }
      try {
        await this.#refresh();
      } catch (error) {
        await this.#retire();
        throw unusable(error);
      }
    });
  }

  /** Disables TLS once the response is sent. Throws Problem 400 when it is off. */
  async disable(): Promise<void> {
    await this.#enqueue(async () => {
      if (!await this.isEnabled()) throw new Problem(400, "TLS is not on");
      await this.#retire();
      this.#closeTimer = setTimeout(() => void this.check(), CLOSE_DELAY_MS);
    });
  }

  /** Stops the timers; the listener is closed by its owner. */
  async close(): Promise<void> {
    this.#unsubscribe();
    clearInterval(this.#timer);
    clearTimeout(this.#closeTimer);
    await this.#queue;
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #refresh(): Promise<void> {
    const { serve, notices, now, wanted, log } = this.#options;
    const { active } = this.#paths;
    await finishMoves(this.#paths);
    const cert = await files.read(active.cert);
    if (cert === null) {
      if (this.#served !== null) await serve(null);
      this.#served = null;
      return await notices.settle("certificate");
    }
    const key = await files.read(active.key);
    let facts = await this.#facts(cert);
    if (key === null && !facts.own) {
      throw new Problem(503, "its key, configs/auth/www-api.key, is missing");
    }
    let pair: KeyPair = { cert, key: key ?? "" };
    const reason = renewalReason(facts, wanted(), now()) ?? await this.#keyMismatch(pair, facts);
    if (reason !== null) {
      pair = await this.#issue();
      await writePair(active, pair);
      facts = await this.#facts(pair.cert);
      log.info("certificates.certificate_created", "Created a TLS certificate", {
        reason,
        names: [...facts.dns, ...facts.ip],
      });
    }
    if (!this.#serves(pair)) await serve(pair);
    this.#served = { pair, facts };
    await this.#updateCaNotice(facts.own);
    if (facts.own || isWithin(facts, now())) return await notices.settle("certificate");
    await notices.open(
      "certificate",
      `The TLS certificate is valid from ${day(facts.from)} to ${
        day(facts.to)
      }. It is not one of ` +
        "Sluice's own, so somebody must replace it in configs/auth",
    );
  }

  #serves({ cert, key }: KeyPair): boolean {
    return this.#served?.pair.cert === cert && this.#served.pair.key === key;
  }

  /** A renewal that was cut short leaves the new key beside the old certificate. */
  async #keyMismatch(pair: KeyPair, { own }: CertificateFacts): Promise<"key" | null> {
    if (!own || this.#serves(pair)) return null;
    return await (await x509()).keyMatches(pair) ? null : "key";
  }

  /** Notifies of the CA's expiry; it is never replaced automatically, since people trust it. */
  async #updateCaNotice(used: boolean): Promise<void> {
    const { notices, now } = this.#options;
    const authority = used ? await this.caCertificate() : null;
    const validity = authority === null ? null : (await x509()).readCertificate(authority);
    if (validity === null || now() < validity.to - WARN_BEFORE_MS) {
      return await notices.settle("certificate-authority");
    }
    await notices.open(
      "certificate-authority",
      `The router's local CA certificate is valid from ${day(validity.from)} to ${
        day(validity.to)
      }. Turn TLS ` +
        "off, remove configs/auth/cert, and turn it on: devices must trust the new one",
    );
  }

  /** Issues a certificate, creating the CA first where there is none. */
  async #issue(): Promise<KeyPair> {
    const { makeCaCertificate, makeCertificate } = await x509();
    const { now, wanted, log } = this.#options;
    let authority = await readPair(this.#paths.ca);
    if (authority === null) {
      const name = `Sluice ${wanted().dns[0] ?? "router"}`.slice(0, 60);
      authority = await makeCaCertificate(name, validFor(CA_DAYS, now()));
      await writePair(this.#paths.ca, authority);
      log.info("certificates.ca_created", "Created a local CA certificate");
    }
    return await makeCertificate(authority, {
      ...wanted(),
      validity: validFor(CERTIFICATE_DAYS, now()),
    });
  }

  async #facts(cert: string): Promise<CertificateFacts> {
    const { isSignedBy, readCertificate } = await x509();
    const authority = await readPair(this.#paths.ca);
    const own = authority !== null && await isSignedBy(cert, authority.cert);
    return { ...readCertificate(cert), own };
  }

  async #describe(cert: string): Promise<CertificateStatus["authority"]> {
    const { fingerprint, readCertificate } = await x509();
    const { from, to } = readCertificate(cert);
    return { from, to, fingerprint: await fingerprint(cert) };
  }

  /** Removes a certificate of the local CA; sets an installed one aside until TLS is enabled again. */
  async #retire(): Promise<void> {
    const { active, disabled } = this.#paths;
    const cert = await files.read(active.cert);
    const own = cert !== null && (await this.#facts(cert).catch(() => ({ own: false }))).own;
    if (cert === null || own) await removePair(active);
    else await movePair(active, disabled);
  }
}

/** Turns a parse error into a Problem; errors of the disk or the listener pass unchanged. */
function unusable(error: unknown): unknown {
  if (!(error instanceof TypeError || error instanceof SyntaxError)) return error;
  return conflict(
    `The files in configs/auth are no certificate and key (${error.message}); bring others, or ` +
      "remove them",
  );
}

function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
