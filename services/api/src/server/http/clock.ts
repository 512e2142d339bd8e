/** Source of the current time for all code. Rules take `now` as a parameter, and services take a clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
