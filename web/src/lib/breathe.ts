/**
 * Lets the browser paint and handle clicks between two parts of the start. This module is first in its file
 * (`plugins/chunk-groups.ts`), so it runs between the libraries and our modules.
 */
export function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

await yieldToBrowser()
