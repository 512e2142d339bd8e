const handlers = new Set<() => void>()

/** For stores that hold what only the signed-in user may see; `handler` is called when that user leaves. */
export const onForget = (handler: () => void): void => void handlers.add(handler)

/** What is typed but not sent is kept in the browser's tab under names that begin so. */
export const draftPrefix = 'draft:'

/** Empties those stores, and what was typed on pages whose stores are not loaded yet. */
export function forgetInput(): void {
  for (const handler of handlers) handler()
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key)
}
