/**
 * Yields to the browser during startup, so that the browser paints and handles clicks. This module is the first of its chunk
 * (`plugins/chunk-groups.ts`), so it runs after the libraries and before our other modules.
 */
export function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

await yieldToBrowser()
