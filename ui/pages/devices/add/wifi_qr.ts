/** Signs that mean something in the text of a Wi-Fi QR code. */
const SPECIAL = /[\\;,":]/g;

/**
 * What phones read to join a Wi-Fi: `WIFI:T:WPA;S:name;P:password;;`. `WPA` stands for WPA2 and WPA3
 * alike (Wi-Fi Alliance, WPA3 specification 3, section 7): the phone takes the best that is offered.
 */
export function wifiText(name: string, password: string): string {
  const escaped = (text: string) => text.replace(SPECIAL, "\\$&");
  return `WIFI:T:WPA;S:${escaped(name)};P:${escaped(password)};;`;
}
