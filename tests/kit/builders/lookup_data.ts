import { join } from "node:path";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { type Lookup, startLookup } from "../../../system/lookup/service.ts";
import { drain } from "../../../routes/http/front/front.ts";
import { socketApp } from "../../../routes/http/socket_app.ts";
import { SOCKET_ROUTES } from "../../../routes/internal.ts";
import { openLog } from "../../../system/core/log/log.ts";

/** A text as it comes from a file or a socket. */
export function contentOf(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(
    // Parts that end within lines and characters.
    new TextEncoder().encode(text).reduce<Uint8Array<ArrayBuffer>[]>((parts, _, at, all) => {
      if (at % 1000 === 0) parts.push(all.slice(at, at + 1000));
      return parts;
    }, []),
  );
}

/** Addresses of documentation, which no registry assigned, and some that are. */
const FILES: Readonly<Record<string, string>> = {
  "@ip-location-db/asn/package.json": '{"version":"1.0.0"}',
  "@ip-location-db/asn/asn-ipv4.csv":
    '1.0.0.0,1.0.0.255,64496,"Example, Inc."\n1.1.1.0,1.1.1.255,64497,Other Networks\n' +
    "9.9.0.0,9.9.255.255,64498,Third Networks\n198.51.100.0,198.51.100.255,64499,Fourth\n",
  "@ip-location-db/asn/asn-ipv6.csv": "2606:4700::,2606:4700:ffff::,64496,Example\n",
  "@ip-location-db/asn-country/package.json": '{"version":"1.0.0"}',
  "@ip-location-db/asn-country/asn-country-ipv4.csv":
    "1.0.0.0,1.0.0.255,AU\n1.1.1.0,1.1.1.255,DE\n9.9.0.0,9.9.127.255,DE\n9.9.128.0,9.9.255.255,FR\n" +
    "198.51.100.0,198.51.100.255,NZ\n",
  "@ip-location-db/asn-country/asn-country-ipv6.csv":
    "2606:4700::,2606:4700:ffff::,US\n2606:9900::,2606:9900:ffff::,NZ\n",
  "oui-data/package.json": '{"version":"1.0.0"}',
  "oui-data/index.json": JSON.stringify({ "00000C": "Cisco Systems, Inc\nSan Jose" }),
};

/** A lookup service over a few ranges, on the socket of a home. */
export async function startTestLookup(home: string): Promise<Lookup & AsyncDisposable> {
  const folder = join(home, "state/lookup");
  const packages = join(home, "packages");
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.mkdir(join(packages, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(packages, path), text);
  }
  const log = openLog({ process: "lookup", human: false, level: "error", write: () => {} });
  const lookup = await startLookup({ folder, packages, log });
  const app = socketApp(SOCKET_ROUTES.lookup(lookup), {
    by: "lookup",
    log: (error) => {
      throw error;
    },
  });
  const server = await serveUnix(join(folder, "lookup_plugin"), (request) => app.fetch(request));
  await lookup.opened;
  return {
    ...lookup,
    async [Symbol.asyncDispose]() {
      await drain(server);
      await lookup.stop();
    },
  };
}
