import * as z from "zod";
import type { Access } from "../access/open.ts";
import { type AccessDatabase, readSetting, writeSetting } from "../access/store.ts";
import { Problem } from "../core/errors/problem.ts";
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
    readonly tokens: Pick<Access["tokens"], "find" | "holds" | "list">;
  };
}

const LEAF_SETTING = "mesh-leaf-token", REPORTS_SETTING = "mesh-report-tokens";
/** Of earlier versions, in which all leaves had one token. */
const SHARED_SETTING = "mesh-report-token";

/** The token that one leaf router reports with. */
const ReportToken = z.object({ id: z.string(), token: z.string() });
/** By the address of the leaf. */
const ReportTokens = z.record(z.string(), ReportToken);

/**
 * The tokens between parent and leaf, in clear, since certificates are proven by one and the others are handed
 * to the leaves. One that was deleted among the API tokens counts no more.
 */
export class MeshTokens {
  readonly #deps: MeshTokensDeps;
  #leaf: string;
  #reports: ReadonlyMap<string, z.output<typeof ReportToken>>;
  /** Changes of the tokens of leaves, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(deps: MeshTokensDeps, leaf: string, reports: z.output<typeof ReportTokens>) {
    this.#deps = deps;
    this.#leaf = leaf;
    this.#reports = new Map(Object.entries(reports));
  }

  static async open(deps: MeshTokensDeps): Promise<MeshTokens> {
    const read = async (key: string) => await readSetting(deps.db, key) ?? "";
    return new MeshTokens(deps, await read(LEAF_SETTING), reportsOf(await read(REPORTS_SETTING)));
  }

  /** The token that a parent knows this router by; "" for none. */
  get leaf(): string {
    return this.#valid(this.#leaf);
  }

  /** The tokens that leaves of this router report with, by their addresses. */
  get reports(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.#reports].filter(([, { id }]) => this.#deps.access.tokens.holds(id))
        .map(([address, { token }]) => [address, token]),
    );
  }

  /** The leaf router that one of these tokens was made for, by its address; null for none. */
  reporter(ids: readonly string[]): string | null {
    return [...this.#reports].find(([, { id }]) => ids.includes(id))?.[0] ?? null;
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
    for (const { Name, ID } of this.#deps.access.tokens.list()) {
      if (Name === LEAF_TOKEN_NAME && !keep.includes(ID)) {
        await this.#end(ID);
      }
    }
  }

  /** The token that a leaf reports with, made where there is none. */
  async reportToken(address: string): Promise<string> {
    return await this.#inTurn(async () => {
      const known = this.reports[address];
      if (known !== undefined) return known;
      const { Token, ID } = await this.#deps.access.accounts.createToken({
        Name: REPORT_TOKEN_NAME,
        Expire: 0,
        ScopedPaths: [...REPORT_TOKEN_SCOPES],
      });
      await this.#keep(new Map([...this.#reports, [address, { id: ID, token: Token }]]));
      return Token;
    });
  }

  /**
   * Gives each of these leaves a token of its own, and ends all others of this name. True where one was made
   * or ended.
   */
  async keepReports(addresses: ReadonlySet<string>): Promise<boolean> {
    const before = this.reports;
    for (const address of addresses) await this.reportToken(address);
    const gone = await this.#inTurn(async () => {
      const { tokens } = this.#deps.access;
      let ended = 0;
      for (const [address, { id }] of this.#reports) {
        if (addresses.has(address)) continue;
        await this.#end(id);
        // One by one, so that what ended stays so where a later one fails.
        await this.#keep(new Map([...this.#reports].filter(([other]) => other !== address)));
        ended++;
      }
      const shared = await readSetting(this.#deps.db, SHARED_SETTING) ?? "";
      if (shared !== "") {
        for (const { id } of tokens.find(shared)) await this.#end(id);
        await writeSetting(this.#deps.db, SHARED_SETTING, "");
        ended++;
      }
      // Where the router stopped between making a token and noting whose it is.
      const known = new Set([...this.#reports.values()].map(({ id }) => id));
      for (const { Name, ID } of tokens.list()) {
        if (Name !== REPORT_TOKEN_NAME || known.has(ID)) continue;
        await this.#end(ID);
        ended++;
      }
      return ended;
    });
    return gone > 0 || Object.keys(this.reports).some((address) => !(address in before));
  }

  /** Ends a token, unless it was deleted already. */
  async #end(ID: string): Promise<void> {
    try {
      await this.#deps.access.accounts.deleteToken({ Token: "", ID });
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 404) throw error;
    }
  }

  async #keep(reports: ReadonlyMap<string, z.output<typeof ReportToken>>): Promise<void> {
    const text = JSON.stringify(Object.fromEntries(reports));
    await writeSetting(this.#deps.db, REPORTS_SETTING, text);
    this.#reports = reports;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return await turn;
  }

  #valid(token: string): string {
    return this.#deps.access.tokens.find(token).length > 0 ? token : "";
  }
}

/** Reads the stored tokens; none where the text is no such list. */
function reportsOf(text: string): z.output<typeof ReportTokens> {
  if (text === "") return {};
  try {
    return ReportTokens.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
