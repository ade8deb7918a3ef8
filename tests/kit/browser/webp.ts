import type { Browser } from "playwright";

/** Quality of the pictures, 0 to 1: text stays sharp, and a page is some 30 KB. */
const QUALITY = 0.82;

/** Makes small pictures of screenshots: the browser itself is the encoder. */
export async function webpEncoder(
  browser: Browser,
): Promise<{ encode(png: Uint8Array): Promise<Uint8Array>; close(): Promise<void> }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  return {
    async encode(png) {
      const base64 = await page.evaluate(async ({ source, quality }) => {
        const picture = await createImageBitmap(await (await fetch(source)).blob());
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        canvas.getContext("2d")?.drawImage(picture, 0, 0);
        const blob = await canvas.convertToBlob({ type: "image/webp", quality });
        const bytes = new Uint8Array(await blob.arrayBuffer());
        return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      }, { source: `data:image/png;base64,${toBase64(png)}`, quality: QUALITY });
      return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    },
    close: () => context.close(),
  };
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
