import { responseError } from "./response_check.ts";
import { type FuzzQuery, fuzzQuery, SeededRandom } from "./fuzz.ts";

/** Questions that wait for an answer at once; a client may have no more than 100. */
const AT_ONCE = 50;
/** Milliseconds that an answer may take, and times that a whole question is put. */
const PATIENCE = 700, TRIES = 6;

/** What came of questions, half of them broken. */
export interface FuzzReport {
  readonly sent: number;
  readonly answered: number;
  /** Whole questions that nobody answered, and answers that are not right: words and bytes. */
  readonly faults: readonly string[];
}

/** A question, and whether an answer came. */
interface Put {
  readonly question: FuzzQuery;
  answered: boolean;
}

/**
 * Puts questions, half of them broken, to a DNS server over UDP. Those that are whole are put again
 * until they are answered.
 */
class Fuzzer {
  readonly #socket = Deno.listenDatagram({ transport: "udp", hostname: "0.0.0.0", port: 0 });
  readonly #server: Deno.NetAddr;
  /** Everything that was put, by its id: an answer to one that was put twice may come late. */
  readonly #put = new Map<number, Put>();
  readonly faults: string[] = [];
  sent = 0;
  answered = 0;

  constructor(server: Deno.NetAddr) {
    this.#server = server;
  }

  async hear(): Promise<void> {
    for await (const [answer] of this.#socket) {
      const waiting = this.#put.get(answer[0]! << 8 | answer[1]!);
      if (waiting === undefined) {
        this.faults.push(`no such query: ${answer.toHex()}`);
        continue;
      }
      const { question: { bytes } } = waiting;
      const fault = responseError(bytes, answer, { stream: false });
      if (fault !== null) this.faults.push(`${fault}: ${bytes.toHex()} ${answer.toHex()}`);
      if (!waiting.answered) this.answered++;
      waiting.answered = true;
    }
  }

  async put(questions: readonly FuzzQuery[]): Promise<void> {
    const now = questions.filter(({ bytes }) => bytes.length >= 2).map((question): Put => {
      const one = { question, answered: false };
      this.#put.set(question.bytes[0]! << 8 | question.bytes[1]!, one);
      return one;
    });
    for (let turn = 0; turn < TRIES; turn++) {
      const open = now.filter(({ question, answered }) =>
        !answered && (turn === 0 || question.valid)
      );
      if (open.length === 0) break;
      for (const { question } of open) {
        this.sent++;
        await this.#socket.send(question.bytes, this.#server);
      }
      await this.#quiet(now);
    }
    for (const { question, answered } of now) {
      if (question.valid && !answered) this.faults.push(`no answer: ${question.bytes.toHex()}`);
    }
  }

  close(): void {
    this.#socket.close();
  }

  /** Waits until every whole question is answered, for so long at most, and a little for the others. */
  async #quiet(now: readonly Put[]): Promise<void> {
    for (let waited = 0; waited < PATIENCE; waited += 5) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (waited >= 20 && now.every(({ question, answered }) => answered || !question.valid)) {
        return;
      }
    }
  }
}

/** Puts so many questions to a server, always the same ones for one seed. */
export async function fuzz(
  server: Deno.NetAddr,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<FuzzReport> {
  const random = new SeededRandom(seed);
  const fuzzer = new Fuzzer(server);
  const hearing = fuzzer.hear();
  try {
    for (let at = 0; at < count; at += AT_ONCE) {
      const id = at % 65_000;
      await fuzzer.put(Array.from({ length: AT_ONCE }, (_, i) => fuzzQuery(random, id + i)));
    }
  } finally {
    fuzzer.close();
    await hearing;
  }
  const { sent, answered, faults } = fuzzer;
  return { sent, answered, faults: faults.slice(0, 20) };
}
