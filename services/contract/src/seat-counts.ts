/** Counts of open seats, by name. A seat is anything that a client keeps open, such as a connection. */
export class SeatCounts {
  readonly #counts = new Map<string, number>()

  take(name: string, limit: number): boolean {
    const taken = this.#counts.get(name) ?? 0
    if (taken >= limit) return false
    this.#counts.set(name, taken + 1)
    return true
  }

  leave(name: string): void {
    const taken = (this.#counts.get(name) ?? 0) - 1
    if (taken > 0) this.#counts.set(name, taken)
    else this.#counts.delete(name)
  }

  has(name: string): boolean {
    return this.#counts.has(name)
  }

  entries(): [name: string, taken: number][] {
    return [...this.#counts]
  }
}
