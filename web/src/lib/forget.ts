const handlers = new Set<() => void>()

/** Registers a store with data of the signed-in user. `handler` is called when the user logs out. */
export function onForget(handler: () => void): void {
  void handlers.add(handler)
}

/** Prefix of keys in the tab's storage for unsent input. */
export const draftPrefix = 'draft:'

/** Clears those stores, and input of pages whose stores are not loaded yet. */
export function forgetInput(): void {
  for (const handler of handlers) handler()
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key)
}
