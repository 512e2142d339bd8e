const handlers = new Set<() => void>()

/**
 * Registers a store with data of the signed-in user. `handler` is called when the user logs out.
 * @returns a function that removes the handler
 */
export function onLogOut(handler: () => void): () => void {
  handlers.add(handler)
  return () => void handlers.delete(handler)
}

/** Prefix of session storage keys for unsent input. */
export const draftPrefix = 'draft:'

/** Clears all registered stores, and the unsent input of all pages, including pages that are not loaded. */
export function clearUserData(): void {
  for (const handler of handlers) handler()
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key)
}
