/**
 * Cookies of one client on one site. The jar stores names and values, and removes cookies when the site requests it. It ignores
 * paths and domains.
 */
export class CookieJar {
  readonly #cookies = new Map<string, string>()

  store(headers: Headers): void {
    for (const header of headers.getSetCookie()) {
      const [pair = '', ...attributes] = header.split(';')
      const equals = pair.indexOf('=')
      if (equals < 1) continue
      const name = pair.slice(0, equals).trim()
      if (attributes.some(endsCookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, pair.slice(equals + 1).trim())
    }
  }

  get(name: string): string | undefined {
    return this.#cookies.get(name)
  }

  /** Returns the value of the `Cookie` header, which is empty if there are no cookies. */
  header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Returns all cookies in a format that a browser can import, so that the browser uses the same session. */
  entries(): { name: string; value: string }[] {
    return [...this.#cookies].map(([name, value]) => ({ name, value }))
  }
}

function endsCookie(attribute: string): boolean {
  const [name = '', value = ''] = attribute.trim().split('=')
  if (/^max-age$/i.test(name)) return Number(value) <= 0
  return /^expires$/i.test(name) && Date.parse(value) <= Date.now()
}
