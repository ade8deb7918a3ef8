/** Something that happened, as the event streams, alerts and the log see it. Never holds a secret. */
export interface BusEvent {
  /** Increases by one; unique within one run of the api. */
  readonly id: number;
  /** `devices`, `groups`, `rules`, `changes`, `leases`, `alert:<kind>`, … */
  readonly topic: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly data: unknown;
  /** Where it goes besides; absent: everywhere. */
  readonly delivery?: Delivery | undefined;
}

/** What becomes of an event beside its delivery to those who listen to its topic. */
export interface Delivery {
  /** Is a notification to clients. */
  readonly notify: boolean;
  /** Is stored. */
  readonly store: boolean;
}

interface Subscription {
  readonly listener: (event: BusEvent) => void;
  /** Null: every topic. */
  readonly topics: ReadonlySet<string> | null;
  /** Beginnings of further topics. */
  readonly beginnings: readonly string[];
}

/** How an event is published. */
export interface PublishOptions {
  /** False: late readers do without. */
  readonly kept?: boolean;
  readonly delivery?: Delivery;
}

const MAX_EVENTS = 1024;

/** Hands events to listeners in this process and keeps the last {@link MAX_EVENTS} for late readers. */
export class Bus {
  readonly #subscriptions = new Set<Subscription>();
  readonly #recent: BusEvent[] = [];
  readonly #now: () => number;
  #last: number;
  /** Called once when an event has this id or a later one. */
  #milestone: { readonly id: number; readonly reached: () => void } | null = null;
  /** Id of the latest event that was kept and is no longer. */
  #gone: number;

  /** `firstId` lets ids go on growing across restarts, so that a reader's last id stays meaningful. */
  constructor(now: () => number = Date.now, firstId: number = now() * 1000) {
    this.#now = now;
    this.#last = this.#gone = firstId;
  }

  /**
   * Tells everyone. With `kept: false` late readers do without it: what comes many times a second would
   * push out what they need.
   */
  publish(topic: string, data: unknown, options: PublishOptions = {}): BusEvent {
    const { delivery } = options;
    return this.#tell({
      ...{ id: ++this.#last, topic, at: this.#now(), data },
      ...(delivery === undefined ? {} : { delivery }),
    }, options);
  }

  /** The same with data that are made once somebody reads them, and then kept with the event. */
  publishMade(topic: string, make: () => unknown, options: PublishOptions = {}): BusEvent {
    const { delivery } = options;
    let made: { readonly data: unknown } | null = null;
    return this.#tell({
      ...{ id: ++this.#last, topic, at: this.#now() },
      get data() {
        return (made ??= { data: make() }).data;
      },
      ...(delivery === undefined ? {} : { delivery }),
    }, options);
  }

  #tell(event: BusEvent, options: PublishOptions): BusEvent {
    const { topic } = event;
    if (options.kept ?? true) this.#recent.push(event);
    if (this.#recent.length > MAX_EVENTS) this.#gone = this.#recent.shift()!.id;
    for (const { listener, topics, beginnings } of [...this.#subscriptions]) {
      const isWanted = topics === null || topics.has(topic) ||
        beginnings.some((beginning) => topic.startsWith(beginning));
      if (isWanted) listener(event);
    }
    const milestone = this.#milestone;
    if (milestone !== null && event.id >= milestone.id) {
      this.#milestone = null;
      milestone.reached();
    }
    return event;
  }

  /** Calls back once, when an event has this id or a later one; null ends it. */
  setMilestone(milestone: { readonly id: number; readonly reached: () => void } | null): void {
    this.#milestone = milestone;
  }

  /** Id of the latest event. */
  get last(): number {
    return this.#last;
  }

  /** An id that no event has or will have. */
  reserveId(): number {
    return ++this.#last;
  }

  /** Later events have ids above this one. */
  continueAfter(id: number): void {
    this.#last = Math.max(this.#last, id);
  }

  /**
   * Calls the listener, which must not throw, for later events until the returned function is called:
   * for those of these topics, of which one with a colon at its end stands for all that begin like it,
   * or for all of them.
   */
  subscribe(
    listener: (event: BusEvent) => void,
    topics: readonly string[] | null = null,
  ): () => void {
    const subscription = {
      listener,
      topics: topics === null ? null : new Set(topics),
      beginnings: topics?.filter((one) => one.endsWith(":")) ?? [],
    };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  /**
   * Kept events after `id`; null when some of them are no longer there, so that the reader must start
   * anew.
   */
  since(id: number): readonly BusEvent[] | null {
    if (id > this.#last || id < this.#gone) return null;
    return this.#recent.filter((event) => event.id > id);
  }
}
