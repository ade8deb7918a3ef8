/** A process of the program, as the container list of existing clients shows it. */
export interface RunningProgram {
  readonly name: string;
  readonly state: "running" | "exited" | "restarting";
  readonly pid: number | null;
  /** Unix milliseconds at which it entered this state. */
  readonly since: number;
}

/** The processes of the program. */
export interface Programs {
  list(): Promise<readonly RunningProgram[]>;
  /** Schedules a restart of all of them, this one last. Throws Problem 503 without a launcher or unit. */
  restart(): Promise<void>;
}
