import { equalSecret, sha256 } from "./digest.ts";
import { type AccessDatabase, readSetting, removeSetting, writeSetting } from "./store.ts";

/**
 * Opens setup for the setup code with this SHA-256. `record`: its hash as the first admin's password,
 * which setup replaces.
 */
export async function openSetup(
  db: AccessDatabase,
  digest: string,
  record: string,
): Promise<void> {
  await writeSetting(db, "setup-code", digest);
  await writeSetting(db, "setup-record", sha256(record));
  await writeSetting(db, "setup", "open");
}

/** State of the initial setup, and the setup code that it accepts. */
export class Setup {
  readonly #db: AccessDatabase;
  readonly #firstUse: () => Promise<void>;
  readonly #record: string | null;
  #digest: string | null;
  #used = false;

  private constructor(
    db: AccessDatabase,
    state: {
      readonly digest: string | null;
      readonly record: string | null;
      readonly firstUse: () => Promise<void>;
    },
  ) {
    this.#db = db;
    this.#digest = state.digest;
    this.#record = state.record;
    this.#firstUse = state.firstUse;
  }

  /** `firstUse` is called once, when the setup code is first used. */
  static async open(db: AccessDatabase, firstUse: () => Promise<void>): Promise<Setup> {
    const open = await readSetting(db, "setup") === "open";
    return new Setup(db, {
      digest: open ? await readSetting(db, "setup-code") : null,
      record: await readSetting(db, "setup-record"),
      firstUse,
    });
  }

  /** True until setup is done. */
  get isOpen(): boolean {
    return this.#digest !== null;
  }

  /** True once the admin's stored password is no longer the setup code. */
  hasPassword(stored: string | undefined): boolean {
    return stored !== undefined && sha256(stored) !== this.#record;
  }

  /** True for the setup code, until setup is done. */
  async accepts(code: string): Promise<boolean> {
    if (this.#digest === null || !equalSecret(sha256(code), this.#digest)) return false;
    if (!this.#used) {
      this.#used = true;
      await this.#firstUse();
    }
    return true;
  }

  /** Finishes setup and revokes the setup code; a second call does nothing. */
  async finish(): Promise<void> {
    this.#digest = null;
    await writeSetting(this.#db, "setup", "done");
    await removeSetting(this.#db, "setup-code");
    await removeSetting(this.#db, "setup-record");
  }
}
