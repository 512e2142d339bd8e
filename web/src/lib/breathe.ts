/**
 * Lets the browser paint and handle clicks between two phases of the start. This module is first in its file
 * (`plugins/chunk-groups.ts`), so it runs after the libraries and before our other modules.
 */
export function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

await yieldToBrowser()
