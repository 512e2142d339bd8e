/**
 * Yields to the browser during startup, so that the browser paints and handles clicks. This module is the first module of its
 * chunk (`plugins/chunk-groups.ts`), so it runs after the libraries and before all other modules of ours.
 */
export function yieldToBrowser(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

await yieldToBrowser()
