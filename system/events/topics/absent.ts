/** A topic that existing clients know and that is never published here. */
export interface AbsentTopic {
  /** The topic, or with a colon at its end the beginning of several. */
  readonly name: string;
  readonly why: string;
}

/** Topics of existing routers that have no source here, in the order of their names. */
export const ABSENT_TOPICS: readonly AbsentTopic[] = [
  {
    name: "crashlog:event",
    why:
      "no memory of a process that ended is written down; `log:api` and `/logs` say that it ended",
  },
  {
    name: "log:www:access",
    why: "requests are not recorded, since they say which pages people look at; see `auth:success`",
  },
  {
    name: "plugin:docker:remediation",
    why: "networks of containers are the container engine's own and are not repaired here",
  },
  {
    name: "ssh:authorized_keys:",
    why: "SSH is the operating system's own; its keys are not managed here",
  },
  { name: "superd:attest:", why: "Sluice has no container images that could be attested" },
  { name: "timelimit:reached", why: "devices have no daily limits of time" },
  { name: "timelimits:save", why: "devices have no daily limits of time" },
];
