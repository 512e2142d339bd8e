import { ReadableStream, TransformStream, WritableStream } from 'node:stream/web'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

afterEach(cleanup)

// Fake browser APIs, because jsdom lacks them.
for (const [name, value] of Object.entries({ ReadableStream, TransformStream, WritableStream }))
  if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value })
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
// Treat every element as visible, because jsdom computes no layout.
globalThis.IntersectionObserver ??= class {
  readonly root = null
  readonly rootMargin = ''
  readonly scrollMargin = ''
  readonly thresholds = []
  readonly #tell: IntersectionObserverCallback
  constructor(tell: IntersectionObserverCallback) {
    this.#tell = tell
  }
  observe(target: Element) {
    this.#tell([{ isIntersecting: true, target } as unknown as IntersectionObserverEntry], this)
  }
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return []
  }
}
if (!('fonts' in document)) Object.defineProperty(document, 'fonts', { value: { ready: Promise.resolve() }, configurable: true })
globalThis.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
  }) as unknown as MediaQueryList
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true
}
Element.prototype.scrollIntoView ??= () => undefined
Element.prototype.hasPointerCapture ??= () => false

// The timeout only ends tests that hang. It is long, because shared machines can be slow.
configure({ asyncUtilTimeout: 60_000 })
