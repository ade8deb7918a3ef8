import type { ProcessDescriptor, UnitDescriptor } from "./descriptor.ts";
import { ROOT_SOCKETS } from "./machine_paths.ts";

type RootSocket = keyof typeof ROOT_SOCKETS;

/** What a unit does as root for a client of its socket. */
interface RootAction {
  readonly purpose: string;
  readonly commands: readonly string[];
  /** Its output is the answer; otherwise only errors are. */
  readonly answers?: boolean;
  /** What the client writes: it becomes one argument. */
  readonly input?: string;
  readonly capabilities?: readonly string[];
  /** Groups of system calls beside those of every service. */
  readonly systemCalls?: readonly string[];
}

function actions(units: readonly string[]): Readonly<Record<RootSocket, RootAction>> {
  return {
    clock: {
      purpose: "restart time synchronisation",
      commands: [
        "-/usr/bin/timedatectl --no-ask-password set-ntp no",
        "/usr/bin/timedatectl --no-ask-password set-ntp yes",
      ],
    },
    settime: {
      purpose: "set the clock",
      // What is written is one argument of date, which takes nothing but a number after "@".
      commands: [
        "/usr/bin/xargs --replace=SECONDS /usr/bin/date --utc --set=@SECONDS",
      ],
      input: "a number of seconds since 1970",
      capabilities: ["CAP_SYS_TIME"],
      systemCalls: ["@clock"],
    },
    restart: {
      purpose: "restart every process",
      commands: ["/usr/bin/systemctl --no-ask-password --no-block restart sluice.target"],
    },
    status: {
      purpose: "list the state of the processes",
      commands: [
        [
          "/usr/bin/systemctl show --no-pager --timestamp=unix",
          "--property=Id,LoadState,ActiveState,SubState,MainPID,StateChangeTimestamp",
          ...units,
        ].join(" \\\n    "),
      ],
      answers: true,
    },
  };
}

/** Socket and service of each root action that a process uses, by file name. */
export function rootUnits(
  processes: readonly (ProcessDescriptor & { readonly unit: UnitDescriptor })[],
): Readonly<Record<string, string>> {
  const all = actions(processes.map(({ name }) => `sluice-${name}.service`));
  return Object.fromEntries(
    processes.flatMap(({ name: user, rootSockets = [], unit }) =>
      rootSockets.flatMap((name) => [
        [`sluice-${name}.socket`, socket(name, { user, group: unit.account.group, ...all[name] })],
        [`sluice-${name}@.service`, service(all[name])],
      ])
    ),
  );
}

function socket(
  name: RootSocket,
  { user, group, purpose }: RootAction & { readonly user: string; readonly group: string },
): string {
  return `[Unit]
Description=Sluice: lets ${user} ${purpose}

[Socket]
ListenStream=${ROOT_SOCKETS[name]}
SocketGroup=${group}
SocketMode=0660
Accept=yes
MaxConnections=4

[Install]
WantedBy=sockets.target
`;
}

function service(
  { purpose, commands, answers = false, input, capabilities = [], systemCalls = [] }: RootAction,
): string {
  return `# Takes ${input ?? "no input"} from the client; ${
    answers ? "the output is the answer" : "error messages are written to the connection"
  }.
[Unit]
Description=Sluice: ${purpose}
CollectMode=inactive-or-failed

[Service]
Type=oneshot
${commands.map((command) => `ExecStart=${command}\n`).join("")}TimeoutStartSec=30
StandardInput=${input === undefined ? "null" : "socket"}
StandardOutput=${input === undefined ? "socket" : "null"}
StandardError=${answers ? "journal" : "socket"}
CapabilityBoundingSet=${capabilities.join(" ")}
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateNetwork=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
SystemCallArchitectures=native
SystemCallFilter=${["@system-service", ...systemCalls].join(" ")}
`;
}
