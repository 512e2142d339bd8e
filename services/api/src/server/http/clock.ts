/** The only source of the current time. Rules take `now` as a parameter, services take a clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
