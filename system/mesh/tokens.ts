import type { Access } from "../access/open.ts";
import { type AccessDatabase, readSetting, writeSetting } from "../access/store.ts";
import {
  LEAF_TOKEN_NAME,
  LEAF_TOKEN_SCOPES,
  REPORT_TOKEN_NAME,
  REPORT_TOKEN_SCOPES,
} from "./rules.ts";

/** What {@link MeshTokens} needs of access. */
export interface MeshTokensDeps {
  readonly db: AccessDatabase;
  readonly access: {
    readonly accounts: Pick<Access["accounts"], "createToken" | "deleteToken">;
    readonly tokens: Pick<Access["tokens"], "find" | "list">;
  };
}

const LEAF_SETTING = "mesh-leaf-token", REPORT_SETTING = "mesh-report-token";

/**
 * The tokens between parent and leaf, in clear, since certificates are proven by one and the other is handed
 * to each leaf that joins. One that was deleted among the API tokens counts no more.
 */
export class MeshTokens {
  readonly #deps: MeshTokensDeps;
  #leaf: string;
  #report: string;

  private constructor(deps: MeshTokensDeps, leaf: string, report: string) {
    this.#deps = deps;
    this.#leaf = leaf;
    this.#report = report;
  }

  static async open(deps: MeshTokensDeps): Promise<MeshTokens> {
    const read = async (key: string) => await readSetting(deps.db, key) ?? "";
    return new MeshTokens(deps, await read(LEAF_SETTING), await read(REPORT_SETTING));
  }

  /** The token that a parent knows this router by; "" for none. */
  get leaf(): string {
    return this.#valid(this.#leaf);
  }

  /** The token that leaves of this router report with; "" for none. */
  get report(): string {
    return this.#valid(this.#report);
  }

  /** Keeps a token that a client made under the name of a parent's. */
  async adopt(token: { readonly Name: string; readonly Token: string }): Promise<void> {
    if (token.Name !== LEAF_TOKEN_NAME) return;
    await writeSetting(this.#deps.db, LEAF_SETTING, token.Token);
    this.#leaf = token.Token;
  }

  /**
   * Makes a token for the parent. Those with these ids go on working, all others of this name end: a parent
   * that asks for another must be able to ask again when the response is lost.
   */
  async renewLeaf(keep: readonly string[]): Promise<string> {
    const token = await this.#deps.access.accounts.createToken({
      Name: LEAF_TOKEN_NAME,
      Expire: 0,
      ScopedPaths: [...LEAF_TOKEN_SCOPES],
    });
    await this.adopt(token);
    await this.endLeaf([...keep, token.ID]);
    return token.Token;
  }

  /** Ends every token of a parent but those with these ids. */
  async endLeaf(keep: readonly string[]): Promise<void> {
    const { tokens, accounts } = this.#deps.access;
    for (const { Name, ID } of tokens.list()) {
      if (Name === LEAF_TOKEN_NAME && !keep.includes(ID)) {
        await accounts.deleteToken({ Token: "", ID });
      }
    }
  }

  /** The token that leaves report with, made where there is none. */
  async reportToken(): Promise<string> {
    const known = this.report;
    if (known !== "") return known;
    const { Token } = await this.#deps.access.accounts.createToken({
      Name: REPORT_TOKEN_NAME,
      Expire: 0,
      ScopedPaths: [...REPORT_TOKEN_SCOPES],
    });
    await writeSetting(this.#deps.db, REPORT_SETTING, Token);
    this.#report = Token;
    return Token;
  }

  /**
   * Ends the token that leaves report with, which a leaf that was removed has as well, and makes another one
   * for those that remain.
   */
  async renewReport(remain: boolean): Promise<void> {
    const { tokens, accounts } = this.#deps.access;
    const ended = tokens.find(this.#report);
    this.#report = "";
    await writeSetting(this.#deps.db, REPORT_SETTING, "");
    for (const { id } of ended) await accounts.deleteToken({ Token: "", ID: id });
    if (remain) await this.reportToken();
  }

  #valid(token: string): string {
    return this.#deps.access.tokens.find(token).length > 0 ? token : "";
  }
}
