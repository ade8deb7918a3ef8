import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** A value of Hrana's JSON encoding (Hrana over HTTP, version 2). */
type Value =
  | { readonly type: "null" }
  | { readonly type: "integer"; readonly value: string }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "text"; readonly value: string };

interface Statement {
  readonly sql?: string | null;
  readonly sql_id?: number | null;
  readonly args?: readonly Value[];
}

interface Step {
  readonly stmt: Statement;
}

interface PipelineRequest {
  readonly type: string;
  readonly stmt?: Statement;
  readonly batch?: { readonly steps: readonly Step[] };
  readonly sql?: string;
  readonly sql_id?: number;
}

/** A libSQL server of the tests: the Hrana protocol by HTTP over a real SQLite in memory. */
export interface HranaServer {
  readonly url: string;
  readonly db: DatabaseSync;
  /** Tokens that requests came with; "" for none. */
  readonly tokens: ReadonlySet<string>;
  /** Requests that were no valid pipeline: none, if the client keeps to the protocol. */
  readonly faults: readonly string[];
  /** Answers 503 while true. */
  isAway: boolean;
  /** Does what is asked and then drops the answer, as a connection that breaks. */
  losesAnswers: boolean;
  close(): Promise<void>;
}

/** Starts it on a free port of the loopback interface. `token`: what each request has to bring. */
export function startHranaServer(token: string): HranaServer {
  const db = new DatabaseSync(":memory:");
  const tokens = new Set<string>(), faults: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (own.isAway) return new Response("away", { status: 503 });
      const { pathname } = new URL(request.url);
      const given = (request.headers.get("authorization") ?? "").replace(/^Bearer /i, "");
      tokens.add(given);
      if (request.method === "GET") {
        return new Response("", {
          status: pathname === "/v2" ? 200 : 404,
        });
      }
      if (given !== token) return new Response(`unknown token ${given}`, { status: 401 });
      if (pathname !== "/v2/pipeline") {
        faults.push(`${request.method} ${pathname}`);
        return new Response("", { status: 404 });
      }
      const { baton = null, requests } = await request.json();
      if (!Array.isArray(requests) || baton !== null || requests.at(-1)?.type !== "close") {
        faults.push(`a stream that is not closed: ${JSON.stringify(requests?.map?.(typeOf))}`);
      }
      const stored = new Map<number, string>();
      const results = requests.map((one: PipelineRequest) => answer(one, stored));
      if (own.losesAnswers) return new Response("lost", { status: 502 });
      return Response.json({ baton: null, base_url: null, results });
    },
  );

  function typeOf({ type }: PipelineRequest): string {
    return type;
  }

  function answer(one: PipelineRequest, stored: Map<number, string>): unknown {
    const ok = (response: object) => ({ type: "ok", response: { type: one.type, ...response } });
    try {
      switch (one.type) {
        case "execute":
          return ok({ result: run(one.stmt!, stored) });
        case "batch":
          return ok({ result: batch(one.batch!.steps, stored) });
        case "store_sql":
          stored.set(one.sql_id!, one.sql!);
          return ok({});
        case "close_sql":
        case "close":
          return ok({});
        default:
          faults.push(`a request of type ${one.type}`);
          throw new Error(`Unknown request ${one.type}`);
      }
    } catch (error) {
      return { type: "error", error: { message: String(error), code: "SQLITE_ERROR" } };
    }
  }

  /** Later steps are left out after one that fails; conditions are not looked at. */
  function batch(steps: readonly Step[], stored: Map<number, string>): object {
    const results: unknown[] = [], errors: unknown[] = [];
    let isFailed = false;
    for (const { stmt } of steps) {
      const sql = textOf(stmt, stored);
      if (isFailed && !/^rollback/i.test(sql) || !isFailed && /^rollback/i.test(sql)) {
        results.push(null);
        errors.push(null);
        continue;
      }
      try {
        results.push(run(stmt, stored));
        errors.push(null);
      } catch (error) {
        isFailed = true;
        results.push(null);
        errors.push({ message: String(error), code: "SQLITE_ERROR" });
      }
    }
    return { step_results: results, step_errors: errors };
  }

  function textOf(stmt: Statement, stored: Map<number, string>): string {
    return stmt.sql ?? stored.get(stmt.sql_id!) ?? "";
  }

  function run(stmt: Statement, stored: Map<number, string>): object {
    const prepared = db.prepare(textOf(stmt, stored));
    prepared.setReadBigInts(true);
    const rows = prepared.all(...(stmt.args ?? []).map(inward));
    return {
      cols: prepared.columns().map(({ name }) => ({ name, decltype: null })),
      rows: rows.map((row) => Object.values(row).map(outward)),
      affected_row_count: 0,
      last_insert_rowid: null,
    };
  }

  const own = {
    url: `http://127.0.0.1:${server.addr.port}`,
    ...{ db, tokens, faults, isAway: false, losesAnswers: false },
    async close() {
      await server.shutdown();
      db.close();
    },
  };
  return own;
}

function inward(value: Value): SQLInputValue {
  switch (value.type) {
    case "null":
      return null;
    case "integer":
      return BigInt(value.value);
    default:
      return value.value;
  }
}

function outward(value: unknown): Value {
  if (value === null) return { type: "null" };
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (typeof value === "number") return { type: "float", value };
  return { type: "text", value: String(value) };
}
