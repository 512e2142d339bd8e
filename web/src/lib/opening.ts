const parts = new Set<symbol>()

/** Registers that a dialog, menu or page is opening. Single-key shortcuts are disabled until the returned function is called. */
export function registerOpeningView(): () => void {
  const part = Symbol('opening')
  parts.add(part)
  return () => void parts.delete(part)
}

export function isAnyViewOpening(): boolean {
  return parts.size > 0
}
