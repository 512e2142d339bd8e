/** Returns the nonce of this page's Content-Security-Policy. The build adds the tag that contains it. */
export function findCspNonce(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce || undefined
}

/** Shares the nonce through a global variable for libraries that add style elements, such as the scroll lock of dialogs. */
export function shareCspNonce(): void {
  const nonce = findCspNonce()
  if (nonce) Object.assign(globalThis, { __webpack_nonce__: nonce })
}

/**
 * Returns a document that adds the nonce to its new elements. It is for libraries that accept a document (xterm's
 * `documentOverride`).
 */
export function createDocumentWithNonce(): Document {
  const nonce = findCspNonce()
  return new Proxy(document, {
    get(target, name) {
      if (name === 'createElement')
        return (tag: string, options?: ElementCreationOptions) => {
          const element = target.createElement(tag, options)
          if (nonce) element.nonce = nonce
          return element
        }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
