import { Ip } from "../../core/net/grammar.ts";
import type { Facts, IpOp } from "../../core/kernel/host.ts";
import { Problem } from "../../core/errors/problem.ts";
import { ipBatch, lineRefused } from "./ip_batch.ts";
import {
  parseAddresses,
  parseLinks,
  parseNeighbours,
  parseRouteGet,
  parseRoutes,
  parseRules,
  parseWays,
} from "./ip_facts.ts";
import { run, runOrFail, toolWords } from "../tools/run.ts";
import { loosen } from "../kernel/sysctl.ts";

const FAILED_LINE = /^Command failed -:(\d+)$/m;

/** What `ip` says of links, addresses, routes and neighbours. */
export async function ipFacts(): Promise<
  Pick<Facts, "links" | "addresses" | "routes" | "ways" | "neighbours">
> {
  const ip = (...args: readonly string[]): Promise<string> => runOrFail("ip", { args });
  const [links, addresses, routes4, routes6, rules, neighbours] = await Promise.all([
    ip("-j", "-d", "link", "show"),
    ip("-j", "address", "show"),
    ip("-4", "-j", "-d", "route", "show", "table", "all", "type", "unicast"),
    ip("-6", "-j", "-d", "route", "show", "table", "main", "type", "unicast"),
    ip("-4", "-j", "rule", "show"),
    ip("-j", "neighbour", "show"),
  ]);
  return {
    links: parseLinks(links),
    addresses: parseAddresses(addresses),
    routes: [...parseRoutes(routes4), ...parseRoutes(routes6)],
    ways: { routes: parseWays(routes4), rules: parseRules(rules) },
    neighbours: parseNeighbours(neighbours),
  };
}

/**
 * Carries out operations in order and stops at the first that fails; those before it stay. Throws
 * Problem 502 with the failing line and the tool's words.
 */
export async function ipApply(ops: readonly IpOp[]): Promise<void> {
  for (const op of ops) if (op.op === "loosen") await loosen(op.name);
  await applyLines(ops.filter(({ op }) => op !== "loosen"));
}

async function applyLines(ops: readonly IpOp[]): Promise<void> {
  if (ops.length === 0) return;
  const result = await run("ip", { args: ["-batch", "-"], stdin: ipBatch(ops), seconds: 30 });
  if (result.ok) return;
  const words = toolWords(result);
  // Some subcommands of ip end the whole run themselves, without telling the line.
  const line = Number(FAILED_LINE.exec(words)?.[1] ?? (ops.length === 1 ? 1 : 0));
  const failed = ops[line - 1];
  if (failed === undefined) throw new Problem(502, `The kernel refused a change: ${words}`);
  throw lineRefused(failed, words.replace(FAILED_LINE, "").trim());
}

/** The interface by which the kernel would send to an address; null when it has no route. */
export async function ipRouteTo(address: string): Promise<string | null> {
  if (!Ip.safeParse(address).success) {
    throw new Problem(400, `${JSON.stringify(address)} is no IP address`);
  }
  const result = await run("ip", { args: ["-j", "route", "get", address] });
  return result.ok ? parseRouteGet(result.stdout) : null;
}
