import * as z from "zod";
import type { Inspection, InspectionEntry } from "../../core/kernel/inspection.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { Rtnetlink } from "../netlink/route/rtnetlink.ts";
import { run, toolMessage } from "../tools/run.ts";

const Listing = z.object({ nftables: z.array(z.record(z.string(), z.unknown())) });

/** Reads from the kernel of this network namespace. Throws Problem 404 for what it lacks, 502. */
export async function inspectKernel(
  what: Exclude<Inspection, { readonly kind: "tables" }>,
  rtnetlink: Pick<Rtnetlink, "addresses" | "neighbours">,
): Promise<readonly InspectionEntry[]> {
  switch (what.kind) {
    case "addresses":
      return await rtnetlink.addresses();
    case "neighbours":
      return await rtnetlink.neighbours();
    case "table":
      // Without elements: a large set would keep every other call waiting.
      return await list(["-t", "list", "table", what.family, what.name]);
    case "set": {
      const kind = what.map ? "map" : "set";
      return await list(["list", kind, what.family, what.table, what.name]);
    }
  }
}

async function list(args: readonly string[]): Promise<readonly InspectionEntry[]> {
  const result = await run("nft", { args: ["-j", ...args], seconds: 15 });
  if (result.ok) return parse(Listing, "nft", result.stdout).nftables;
  const text = toolMessage(result);
  if (/No such file or directory/.test(text)) {
    throw new Problem(
      404,
      `The kernel has no ${args.filter((word) => word !== "-t").slice(1).join(" ")}`,
    );
  }
  throw new Problem(502, `nft: ${text}`);
}

function parse<T>(schema: z.ZodType<T>, tool: string, text: string): T {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new Problem(502, `${tool} did not answer JSON`, { cause: error });
  }
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw new Problem(502, `${tool} answered JSON of another shape`, { cause: result.error });
}
