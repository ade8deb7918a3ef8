import { eq } from "drizzle-orm";
import { Problem } from "../../core/errors/problem.ts";
import type { Log } from "../../core/log/log.ts";
import { accessRecovery } from "../../core/store/schema/access.ts";
import type { Notices } from "../../notices/board.ts";
import { type RandomBytes, sha256 } from "../digest.ts";
import type { AccessDatabase } from "../store.ts";

/** Codes that are made at once. */
const RECOVERY_CODES = 10;
/** Bytes of a code: 80 random bits, so that a hash without a salt keeps it. */
const CODE_BYTES = 10;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** What of {@link RecoveryCodes} comes from outside. */
export interface RecoveryOptions {
  readonly db: AccessDatabase;
  readonly random: RandomBytes;
  /** Called when it cannot be stored that a code was used. */
  readonly onWriteError: (error: unknown) => void;
  /** Called once a user's codes were made, or one of them was used. */
  readonly changed?: (user: string, change: "created" | "used", left: number) => void;
}

/**
 * Codes that stand in for the authenticator app, each once; only their hashes are kept. What changes the codes
 * of one user is called one after the other: each call writes the whole list.
 */
export class RecoveryCodes {
  readonly #options: RecoveryOptions;
  readonly #hashes: Map<string, readonly string[]>;

  private constructor(options: RecoveryOptions, hashes: Map<string, readonly string[]>) {
    this.#options = options;
    this.#hashes = hashes;
  }

  static async open(options: RecoveryOptions): Promise<RecoveryCodes> {
    const rows = await options.db.select().from(accessRecovery);
    return new RecoveryCodes(options, new Map(rows.map(({ name, hashes }) => [name, hashes])));
  }

  /** How many codes a user has left. */
  left(user: string): number {
    return this.#hashes.get(user)?.length ?? 0;
  }

  /** Makes new codes; the earlier ones are worth nothing from then on. */
  async create(user: string): Promise<readonly string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, () => newCode(this.#options.random));
    const hashes = codes.map((code) => sha256(plainCode(code)!));
    await this.#write(user, hashes);
    this.#hashes.set(user, hashes);
    this.#options.changed?.(user, "created", codes.length);
    return codes;
  }

  /**
   * True where the text is a code of the user's, which is used up by that. Throws Problem 503 where that
   * cannot be stored: after a restart it could be used again.
   */
  async take(user: string, text: string): Promise<boolean> {
    const code = plainCode(text);
    if (code === null) return false;
    const hash = sha256(code), known = this.#hashes.get(user) ?? [];
    if (!known.includes(hash)) return false;
    const rest = known.filter((one) => one !== hash);
    this.#hashes.set(user, rest);
    try {
      await this.#write(user, rest);
    } catch (error) {
      this.#hashes.set(user, known);
      this.#options.onWriteError(error);
      throw new Problem(
        503,
        "The router cannot store that this recovery code was used, so it does not count; " +
          "use a code of the app, or free space on the router's disk",
        { cause: error },
      );
    }
    this.#options.changed?.(user, "used", rest.length);
    return true;
  }

  /** Deletes the codes of a user. */
  async drop(user: string): Promise<void> {
    if (!this.#hashes.has(user)) return;
    await this.#options.db.delete(accessRecovery).where(eq(accessRecovery.name, user));
    this.#hashes.delete(user);
  }

  async #write(name: string, hashes: readonly string[]): Promise<void> {
    await this.#options.db.insert(accessRecovery).values({ name, hashes })
      .onConflictDoUpdate({ target: accessRecovery.name, set: { hashes } });
  }
}

/** A code as people read it: `abcd-efgh-2345-mnop`. */
function newCode(random: RandomBytes): string {
  const bits = [...random(CODE_BYTES)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[parseInt(five, 2)]).join("");
  return letters.match(/.{4}/g)!.join("-");
}

/** A code without what people put between its letters; null for what cannot be one. */
function plainCode(text: string): string | null {
  const letters = text.toLowerCase().replaceAll(/[\s-]/g, "");
  return /^[a-z2-7]{16}$/.test(letters) ? letters : null;
}

/** Codes that are left when a notice says so. */
const FEW = 2;

/** Keeps a notice about each user who has few recovery codes left. */
export function recoveryNotice(
  notices: Pick<Notices, "open" | "settle">,
  log: Pick<Log, "error">,
): (user: string, left: number) => void {
  const kind = "recovery-codes";
  return (user, left) => {
    const many = left === 0
      ? "no recovery code"
      : left === 1
      ? "1 recovery code"
      : `${left} recovery codes`;
    const said = left > FEW ? notices.settle(kind, user) : notices.open(
      kind,
      `${user} has ${many} left. Make new ones under Account and tokens`,
      { subject: user },
    );
    said.catch((error) =>
      log.error("access.notice_failed", "A notice about recovery codes was not stored", { error })
    );
  };
}
