/** What Home shows beside what needs attention, which comes in one script. */
export { DnsPanel } from "./dns_panel.tsx";
export { InternetPanel } from "./internet_panel.tsx";
export { SystemPanel } from "./system_panel.tsx";
export { TalkersPanel } from "./talkers_panel.tsx";
export { WifiPanel } from "./wifi_panel.tsx";
