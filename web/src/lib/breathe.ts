/**
 * Lets the browser paint and take clicks between two pieces of the start. It is first in its file (`plugins/chunk-groups.ts`): libraries
 * are evaluated before it, what is ours after it.
 */
export const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

await breathe()
