/**
 * Run inside a lab client: puts whole questions to a DNS server over one TCP connection, all of them
 * before the first answer is read and cut into pieces anywhere, then broken ones over connections of
 * their own. Prints as JSON how many were answered and what was wrong. Arguments: address of the
 * server, number of questions, seed.
 */
import { responseError } from "../../dns/response_check.ts";
import { mutate, SeededRandom, validQuery } from "../../dns/fuzz.ts";
import type { FuzzReport } from "../../dns/fuzzer.ts";

/** Milliseconds for all answers of a connection. */
const PATIENCE = 60_000;

function framed(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([bytes.length >> 8, bytes.length & 255, ...bytes]);
}

/** The messages that come on a connection to its end, or until there are so many. */
async function* messages(connection: Deno.Conn, most: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(200_000);
  for (let filled = 0, count = 0; count < most;) {
    const size = filled < 2 ? -1 : buffer[0]! << 8 | buffer[1]!;
    if (size >= 0 && filled >= size + 2) {
      yield buffer.slice(2, size + 2);
      count++;
      buffer.copyWithin(0, size + 2, filled);
      filled -= size + 2;
      continue;
    }
    const read = await connection.read(buffer.subarray(filled));
    if (read === null) return;
    filled += read;
  }
}

async function write(
  connection: Deno.Conn,
  bytes: Uint8Array,
  random: SeededRandom,
): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const part = bytes.subarray(at, at + 1 + random.below(2000));
    at += await connection.write(part);
  }
}

if (import.meta.main) {
  const [hostname = "", count = "0", seed = "0"] = Deno.args;
  const random = new SeededRandom(Number(seed));
  const faults: string[] = [];
  const queries = new Map(
    Array.from({ length: Number(count) }, (_, id) => [id, validQuery(random, id)] as const),
  );
  const connection = await Deno.connect({ hostname, port: 53 });
  const late = setTimeout(() => connection.close(), PATIENCE);
  const writing = write(
    connection,
    Uint8Array.from([...queries.values()].flatMap((bytes) => [...framed(bytes)])),
    random,
  );
  let answered = 0;
  try {
    for await (const answer of messages(connection, queries.size)) {
      const id = answer[0]! << 8 | answer[1]!;
      const question = queries.get(id);
      const fault = question === undefined
        ? "no such query, or answered twice"
        : responseError(question, answer, { stream: true });
      if (fault !== null) faults.push(`${fault}: ${question?.toHex()} ${answer.toHex()}`);
      queries.delete(id);
      answered++;
    }
    await writing;
    connection.close();
  } catch (error) {
    faults.push(String(error));
  }
  clearTimeout(late);
  for (const bytes of queries.values()) faults.push(`no answer: ${bytes.toHex()}`);
  for (let i = 0; i < 60; i++) {
    const broken = mutate(random, validQuery(random, i));
    const isFramed = !random.once(4);
    const other = await Deno.connect({ hostname, port: 53 });
    const waiting = setTimeout(() => other.close(), 300);
    try {
      await other.write(isFramed ? framed(broken) : random.bytes(50));
      for await (const answer of messages(other, 1)) {
        const fault = isFramed ? responseError(broken, answer, { stream: true }) : null;
        if (fault !== null) faults.push(`${fault}: ${broken.toHex()} ${answer.toHex()}`);
      }
      other.close();
    } catch {
      // It was closed, by one side or the other: what is broken need not be answered.
    }
    clearTimeout(waiting);
  }
  const report: FuzzReport = { sent: Number(count), answered, faults: faults.slice(0, 20) };
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(report)}\n`));
  Deno.exit(0);
}
