import { type MemoInSteps, memoInSteps } from "../../config/memo.ts";
import { inTurns, Turns } from "../../time/slices.ts";
import type { NetworkState, Observations, Planner } from "../change.ts";
import type { Log } from "../../log/log.ts";
import type { Desired } from "../../kernel/desired.ts";
import type { Facts } from "../../kernel/facts.ts";
import type { Finding, Host } from "../../kernel/host.ts";
import type { KernelPlan } from "../../kernel/plan.ts";
import { Problem } from "../../errors/problem.ts";
import { errorText } from "../../errors/error_text.ts";

/** What is known of a kernel that has not answered yet. */
const EMPTY_FACTS: Facts = {
  links: [],
  addresses: [],
  routes: [],
  neighbours: [],
  forwarding: false,
  tables: [],
  capabilities: {
    dummy: false,
    bridge: false,
    vlan: false,
    vxlan: false,
    wireguard: false,
    flowtable: false,
  },
};

/** Sources whose way back is remembered. */
const MAX_CACHED_ROUTES = 256;

const RELEASED: NetworkState = {
  state: "released",
  detail: "Nothing of Sluice is in the kernel, because an administrator took it out. " +
    "Changes are kept and take effect when it is applied again",
};

/** The comment by which a table of ours is known. */
const OUR_COMMENT = "sluice";

/** The words of a tool as a {@link Problem}. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(502, errorText(error), { cause: error });
}

/** Options of {@link Enforcement}. */
export interface EnforcementOptions<C> {
  readonly planner: Planner<C>;
  readonly host: Host;
  readonly log: Log;
  /** An administrator took ours out of the kernel, and it was not applied again since. */
  readonly released?: boolean;
  /** Called at each named step. */
  readonly step: (point: string) => void;
}

/**
 * Keeps the kernel at the desired state. Invariant: unless `network.state` is `broken` or `blocked`,
 * the kernel is in the state `desired`.
 */
export class Enforcement<C> {
  readonly #planner: Planner<C>;
  readonly #desire: MemoInSteps<Parameters<Planner<C>["desire"]>, Desired>;
  readonly #log: Log;
  readonly #step: (point: string) => void;
  #host: Host;
  #facts: Facts = EMPTY_FACTS;
  #desired: Desired;
  readonly #putBack: Finding[] = [];
  #network: NetworkState;
  #takesOver = false;
  #released: boolean;
  readonly #routes = new Map<string, Promise<string | null>>();

  constructor(options: EnforcementOptions<C>, config: C, observed: Observations) {
    this.#planner = options.planner;
    const planner = this.#planner;
    this.#desire = memoInSteps(
      (...inputs) => planner.desire(...inputs),
      planner.desireSteps === undefined
        ? undefined
        : (...inputs) => planner.desireSteps!(...inputs),
    );
    this.#host = options.host;
    this.#log = options.log;
    this.#step = options.step;
    this.#released = options.released ?? false;
    this.#desired = this.#desire(config, observed, EMPTY_FACTS);
    this.#network = { state: "broken", detail: "The kernel has not been loaded yet" };
  }

  get host(): Host {
    return this.#host;
  }

  get desired(): Desired {
    return this.#desired;
  }

  get network(): NetworkState {
    return this.#network;
  }

  get facts(): Facts {
    return this.#facts;
  }

  /** Another kernel from now on; {@link load} must follow. */
  attach(host: Host): void {
    this.#host = host;
    this.#facts = EMPTY_FACTS;
    this.forgetRoutes();
    this.#takesOver = false;
    this.#network = { state: "broken", detail: "The kernel has not been loaded yet" };
  }

  /** The interface on which the kernel replies to a source, or null; cached until links change. */
  routeTo(source: string): Promise<string | null> {
    let known = this.#routes.get(source);
    if (known === undefined) {
      if (this.#routes.size >= MAX_CACHED_ROUTES) this.#routes.clear();
      known = this.#host.routeTo(source).catch(() => null);
      this.#routes.set(source, known);
    }
    return known;
  }

  /** Links or addresses may have changed: cached routes are dropped. */
  forgetRoutes(): void {
    this.#routes.clear();
  }

  /** From the next {@link load} on, tables of our names are ours, whatever program made them. */
  takeOver(): void {
    this.#takesOver = true;
  }

  /**
   * Takes ours out of the kernel and keeps out of it until {@link endRelease}. Throws Problem when something
   * is left.
   */
  async release(config: C): Promise<void> {
    this.#released = true;
    this.#network = RELEASED;
    try {
      await this.#run(this.#planner.release(config, await this.#host.facts()));
    } catch (error) {
      const problem = asProblem(error);
      const detail =
        `Not everything of Sluice could be taken out of the kernel: ${problem.message}`;
      this.#network = { state: "released", detail };
      throw problem;
    }
  }

  /** From the next {@link load} on, ends what {@link release} began. */
  endRelease(): void {
    this.#released = false;
  }

  /**
   * Reads the kernel's facts again where they name none of these links, so that what is decided for a
   * link that appeared a moment ago reaches it. Facts that cannot be read stay as they were.
   */
  async refreshFor(links: readonly string[]): Promise<void> {
    const known = new Set(this.#facts.links.map(({ name }) => name));
    if (links.every((link) => known.has(link)) || this.#isDetached() || this.#isBroken()) return;
    try {
      this.#facts = await this.#host.facts();
    } catch (error) {
      this.#log.warn("kernel.facts_unreadable", "Could not read the kernel's state", { error });
    }
  }

  /** The state that a configuration asks of this kernel, computed once for guards, preview and commit. */
  desire(config: C, observed: Observations): Desired {
    return this.#desire(config, observed, this.#facts);
  }

  /** {@link desire} in small steps, by the facts that are known at the first of them. */
  desireSteps(config: C, observed: Observations): Generator<void, Desired> {
    return this.#desire.steps(config, observed, this.#facts);
  }

  /**
   * Loads the whole desired state, whatever the kernel holds. Answers what was run. Never throws:
   * `network` tells what came of it.
   */
  async load(config: C, observed: Observations): Promise<KernelPlan> {
    try {
      this.#facts = await this.#host.facts();
      this.#notePutBack(this.#facts);
      this.#desired = await inTurns(this.desireSteps(config, observed));
      if (this.#released) {
        this.#network = RELEASED;
        return EMPTY_PLAN;
      }
      const foreign = this.#takesOver ? [] : this.#foreignTables(this.#desired);
      if (foreign.length > 0) {
        this.#setBlocked(foreign);
        return EMPTY_PLAN;
      }
      const plan = this.#planner.reconcile(this.#desired, this.#facts);
      await this.#run(plan);
      this.#setApplied();
      return plan;
    } catch (error) {
      this.#setBroken(asProblem(error).message);
      return EMPTY_PLAN;
    }
  }

  /**
   * Reads the kernel's facts again and follows what they change. Answers what was run. Throws Problem
   * when it cannot.
   */
  async refresh(config: C, observed: Observations): Promise<KernelPlan> {
    const facts = await this.#host.facts();
    if (this.#network.state === "broken" || this.#isDetached()) return EMPTY_PLAN;
    this.#facts = facts;
    if (this.#missingTables(facts).length > 0) return await this.load(config, observed);
    const turns = new Turns();
    const desired = await turns.run(this.desireSteps(config, observed));
    await turns.pause();
    const step = this.plan(desired);
    await turns.pause();
    const plan = await this.transition(desired, step);
    this.adopt(desired);
    return plan;
  }

  /** The way from the state that stands to another one. */
  plan(desired: Desired): KernelPlan {
    return this.#planner.diff(this.#desired, desired);
  }

  /**
   * Brings the kernel to a state by a plan made for it, or, where the old state does not stand, by
   * loading it whole. Answers what was run. When it throws, the kernel is back in the old state, or
   * broken.
   */
  async transition(desired: Desired, plan: KernelPlan): Promise<KernelPlan> {
    if (this.#isDetached()) return EMPTY_PLAN;
    if (this.#isBroken()) return await this.#repair(desired);
    let again = plan;
    try {
      await this.#run(plan);
      return plan;
    } catch (error) {
      const found = await this.#differences();
      const meddled = found.length > 0;
      await this.rollBack();
      this.#putBack.push(...found);
      if (this.#isBroken()) throw asProblem(error);
      again = await this.#planAnew(desired, plan);
      // A plan that starts from the old state fails where someone else has changed it; now it stands.
      if (!meddled && again === plan) throw asProblem(error);
    }
    try {
      await this.#run(again);
      return again;
    } catch (error) {
      await this.rollBack();
      throw asProblem(error);
    }
  }

  /**
   * The plan anew, for what the kernel has now, where a link went away or was replaced since it was
   * made: what is not there cannot be set, and is once it is back. Else the plan itself.
   */
  async #planAnew({ facts: seen, ...desired }: Desired, plan: KernelPlan): Promise<KernelPlan> {
    const facts = await this.#host.facts().catch(() => null);
    if (facts === null || seen === undefined) return plan;
    const now = new Map(facts.links.map(({ name, index }) => [name, index]));
    const isSame = [...seen.links].every(([name, index]) => now.get(name) === index);
    if (isSame) return plan;
    const { steps } = this.#planner.reconcile({ ...desired, facts: seen }, facts);
    return { steps, recheck: plan.recheck };
  }

  #isBroken(): boolean {
    return this.#network.state === "broken";
  }

  /** True when the kernel's rules are known to be others than those that we set. */
  async #differences(): Promise<readonly Finding[]> {
    try {
      return await this.#host.compare(false);
    } catch {
      return [];
    }
  }

  async #repair(desired: Desired): Promise<KernelPlan> {
    try {
      this.#facts = await this.#host.facts();
      const plan = this.#planner.reconcile(desired, this.#facts);
      await this.#run(plan);
      this.#setApplied();
      return plan;
    } catch (error) {
      throw asProblem(error);
    }
  }

  /** Accepts the state that {@link transition} brought about as the one that stands. */
  adopt(desired: Desired): void {
    this.#desired = desired;
  }

  /** Returns to the desired state after steps towards another one. Never throws. */
  async rollBack(): Promise<void> {
    if (this.#isDetached()) return;
    try {
      this.#step("back");
      const facts = await this.#host.facts();
      await this.#run(this.#planner.reconcile(this.#desired, facts));
      this.#setApplied();
    } catch (error) {
      this.#setBroken(asProblem(error).message);
    }
  }

  async #run({ steps }: KernelPlan): Promise<void> {
    if (steps.some(({ kind }) => kind === "ip")) this.forgetRoutes();
    if (steps.length > 1 && this.#host.applyAll !== undefined) {
      await this.#host.applyAll(steps);
      return this.#step(`kernel:${steps.length}`);
    }
    for (const [position, step] of steps.entries()) {
      await this.#host.apply(step);
      this.#step(`kernel:${position + 1}`);
    }
  }

  #isDetached(): boolean {
    return this.#network.state === "blocked" || this.#network.state === "released";
  }

  #setApplied(): void {
    const state = this.#host.kind === "memory" ? "model" : "applied";
    this.#network = { state, detail: null };
  }

  #setBroken(detail: string): void {
    this.#log.error(
      "kernel.state_unknown",
      "The kernel follows neither the old nor the new state",
      { detail },
    );
    this.#network = { state: "broken", detail };
  }

  #setBlocked(tables: readonly string[]): void {
    const detail = `Nothing is applied, because ${tables.join(", ")} ${
      tables.length === 1 ? "belongs" : "belong"
    } to someone else. Remove it, or let Sluice take it over`;
    if (this.#network.state !== "blocked") this.#log.warn("kernel.apply_blocked", detail);
    this.#network = { state: "blocked", detail };
  }

  #foreignTables(desired: Desired): readonly string[] {
    const names = new Set(desired.ruleset.tables.map((table) => `${table.family} ${table.name}`));
    return this.#facts.tables
      .filter((table) =>
        names.has(`${table.family} ${table.name}`) && table.comment !== OUR_COMMENT
      )
      .map((table) => `table ${table.family} ${table.name}`);
  }

  #missingTables(facts: Facts): readonly string[] {
    const there = new Set(facts.tables.map((table) => `${table.family} ${table.name}`));
    return this.#desired.ruleset.tables.map((table) => `${table.family} ${table.name}`)
      .filter((table) => !there.has(table));
  }

  /** What stood and was put back since this was last read, which should be reported. */
  takePutBack(): readonly Finding[] {
    return this.#putBack.splice(0);
  }

  /** Our tables that are gone although they stood: nothing was blocked meanwhile. */
  #notePutBack(facts: Facts): void {
    if (this.#network.state !== "applied" && this.#network.state !== "model") return;
    for (const table of this.#missingTables(facts)) {
      this.#putBack.push({
        what: `table ${table}`,
        expected: "its rules",
        found: null,
        urgent: true,
      });
    }
  }
}

const EMPTY_PLAN: KernelPlan = { steps: [], recheck: [] };
