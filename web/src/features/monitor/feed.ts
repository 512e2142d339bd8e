import type { GameEvent } from '@capstan/contract/games'
import { hintEvent } from '@capstan/contract/hints'
import type { AnswerResult } from '@capstan/contract/submissions'
import { eventKinds as kinds } from '@capstan/contract/vocabulary'

export const submissionFilters = [
  'all',
  'Accepted',
  'WrongAnswer',
  'CheatDetected',
  'NotFound',
  'FlagSubmitted',
] as const satisfies readonly (AnswerResult | 'all')[]

export const eventKinds = ['all', ...kinds] as const

/** Parsed `values` of an event. Each kind of event has different members. */
export type EventFacts =
  | Readonly<{ kind: 'flag'; result: string; flag: string; challenge: string }>
  | Readonly<{ kind: 'cheat'; challenge: string; owner: string }>
  | Readonly<{ kind: 'start' | 'destroy'; challenge: string }>
  | Readonly<{ kind: 'hint'; challenge: string; price: number }>
  | Readonly<{ kind: 'text'; text: string }>

export function parseGameEventValues({ type, values }: Pick<GameEvent, 'type' | 'values'>): EventFacts {
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
      if (values[0] === hintEvent) return { kind: 'hint', challenge: values[2] ?? '', price: Number(values[3]) }
      return { kind: 'text', text: values.at(-1) ?? '' }
  }
}
