import type { EventType, GameEvent } from '@capstan/contract/games'
import { PageLimits } from '@capstan/contract/limits'
import type { AnswerResult, Submission } from '@capstan/contract/submissions'

/** Entries of a page, and of the larger page that a search looks through (most that the server gives). */
export const feedPageSize = 100
export const searchPageSize = PageLimits.most

export const submissionFilters = [
  'all',
  'Accepted',
  'WrongAnswer',
  'CheatDetected',
  'NotFound',
  'FlagSubmitted',
] as const satisfies readonly (AnswerResult | 'all')[]

/** Copies of one submission differ in their status only: waiting when read early, judged when pushed. */
export const submissionKey = ({ time, team, user, challenge, answer }: Submission): string =>
  [Date.parse(time), team, user, challenge, answer].join('\n')

export const timeOf = ({ time }: { readonly time: string }): number => Date.parse(time)

export const submissionText = ({ team, user, challenge, answer }: Submission): readonly string[] => [
  team,
  user,
  challenge,
  answer,
]

export const eventKinds = ['all', 'flags', 'cheats', 'instances', 'other'] as const
export type EventKind = (typeof eventKinds)[number]

const kindOfType: Readonly<Record<EventType, Exclude<EventKind, 'all'>>> = {
  FlagSubmit: 'flags',
  CheatDetected: 'cheats',
  ContainerStart: 'instances',
  ContainerDestroy: 'instances',
  Normal: 'other',
}

/** Is this event among those to show? */
export const isOfKind = (event: GameEvent, kind: EventKind, hideContainer: boolean): boolean => {
  const own = kindOfType[event.type]
  return (kind === 'all' || kind === own) && !(hideContainer && own === 'instances')
}

export const eventKey = ({ time, type, user, team, values }: GameEvent): string =>
  [Date.parse(time), type, user, team, ...values].join('\n')

export const eventText = ({ user, team, values }: GameEvent): readonly string[] => [user, team, ...values]

/** What `values` of an event say, by its kind (behaviour §13). */
export type EventFacts =
  | { readonly kind: 'flag'; readonly result: string; readonly flag: string; readonly challenge: string }
  | { readonly kind: 'cheat'; readonly challenge: string; readonly owner: string }
  | { readonly kind: 'start' | 'destroy'; readonly challenge: string }
  | { readonly kind: 'text'; readonly text: string }

export function factsOf({ type, values }: GameEvent): EventFacts {
  switch (type) {
    case 'FlagSubmit':
      return { kind: 'flag', result: values[0] ?? '', flag: values[1] ?? '', challenge: values[2] ?? '' }
    case 'CheatDetected':
      return { kind: 'cheat', challenge: values[0] ?? '', owner: values[2] ?? '' }
    case 'ContainerStart':
      return { kind: 'start', challenge: values[1] ?? '' }
    case 'ContainerDestroy':
      return { kind: 'destroy', challenge: values[1] ?? '' }
    default:
      return { kind: 'text', text: values.at(-1) ?? '' }
  }
}
