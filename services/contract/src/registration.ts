/** Instants between which teams can register for a game, in ms since 1970. Null means no bound. */
export type RegistrationWindow = Readonly<{
  opens: number | null
  closes: number | null
}>

export type RegistrationState = 'early' | 'open' | 'closed'

/** Returns the state of registration. Teams can register from `opens` until just before `closes`. */
export function registrationState({ opens, closes }: RegistrationWindow, now: number): RegistrationState {
  if (opens !== null && now < opens) return 'early'
  return closes !== null && now >= closes ? 'closed' : 'open'
}
