/** The only source of the present time: rules get `now`, services get a clock. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
