import { socketApp } from "../../../routes/http/socket_app.ts";
import { dnsLogSocketRoutes } from "../../../routes/internal/dns_log.ts";
import { sockets } from "../../../system/processes.ts";
import { serveUnix } from "../../../system/core/ipc/unix_socket.ts";
import { DEFAULT_LOG_CONFIG, type LogEntry } from "../../../system/dns/log/schema.ts";
import { LogStore } from "../../../system/dns/log/writer/store.ts";

/** The log of a resolver that runs for a home, on its socket. */
export interface RunningLog extends AsyncDisposable {
  readonly store: LogStore;
}

/** Runs the query log of a home as its resolver does; at its end it throws what went wrong inside. */
export async function runDnsLog(home: string): Promise<RunningLog> {
  const faults: unknown[] = [];
  const store = await LogStore.open({
    path: `${home}/state/dns/log.db`,
    config: DEFAULT_LOG_CONFIG,
    log: { warn: (_, message, fields) => faults.push(message, fields) },
  });
  const app = socketApp(dnsLogSocketRoutes({ store, now: Date.now }), {
    by: "test",
    log: (error) => faults.push(error),
  });
  const server = await serveUnix(sockets(home).dnsLog, (request) => app.fetch(request));
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await server.shutdown();
      if (faults.length > 0) throw new Error("The log complained", { cause: faults });
    },
  };
}

/** Runs a test with the path of a log in a folder of its own. */
export async function withLogFile(work: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-dns-log-" });
  try {
    await work(`${folder}/log.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The event of a query that `client` resolved to one IPv4 address. */
export function resolvedQuery(client: string, name: string, address: string): LogEntry {
  const Name = `${name}.`;
  return {
    Q: [{ Name, Qtype: 1, Qclass: 1 }],
    A: [{ Hdr: { Name, Rrtype: 1, Class: 1, Ttl: 60, Rdlength: 4 }, A: address }],
    ...{ Type: "NOERROR", FirstName: Name, FirstAnswer: address, Categories: [] },
    ...{ Local: "192.168.2.1:53", Remote: `${client}:5353`, identity: "" },
    ...{ Timestamp: "2026-01-01T00:00:00.000Z", id: 1, verdict: "pass", by: "", rcode: 0 },
    ...{ upstream: "", ms: 1 },
  };
}
