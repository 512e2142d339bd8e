import { readFileSync } from 'node:fs'
import path from 'node:path'
import { defaultSettings } from '@capstan/api/server/settings/defaults'
import { plainLeet, wideLeet } from '@capstan/contract/flag-templates/leet'
import * as limits from '@capstan/contract/limits'
import type { Operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import { type PhaseCall, phaseTable, refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem, type ProblemCode, problems } from '@capstan/contract/problems'
import { problemTitle } from '@capstan/contract/server-texts'
import { tokenAccess } from '@capstan/contract/token-access'

const limitsFile = path.join(import.meta.dirname, '..', '..', 'services', 'contract', 'src', 'limits.ts')

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
}

function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [row(header), row(header.map(() => '---')), ...rows.map(row)].join('\n')
}

function code(text: string): string {
  return `\`${text}\``
}

function statusOf(name: ProblemCode): string {
  const { httpStatus, wireStatus } = new Problem(name)
  return wireStatus === httpStatus ? String(httpStatus) : `${httpStatus}/${wireStatus}`
}

function codes(): string {
  return table(
    ['Code', 'Status', 'Title in English'],
    (Object.keys(problems) as ProblemCode[]).map((name) => [code(name), statusOf(name), problemTitle(name, 'en-US')]),
  )
}

const phaseLabels: Readonly<Record<PhaseCall, string>> = {
  gamePage: 'game page',
  join: 'joining',
  leave: 'leaving',
  scoreboard: 'scoreboard',
  notices: 'notices',
  details: 'details',
  challenge: 'reading a challenge',
  submit: 'submitting a flag',
  container: 'starting, stopping, extending an instance',
  certificate: 'certificate',
  survey: 'survey',
  readWriteup: 'state of the own writeup',
  uploadWriteup: 'uploading a writeup',
  events: 'events',
  submissions: 'submissions',
  cheatInfo: 'cheats',
  sheets: 'spreadsheets',
  participations: 'participations',
  captures: 'captures',
  edit: 'everything under edit',
}

function hour(number: number): Date {
  return new Date(Date.UTC(2026, 0, 1, number))
}

/**
 * Returns the table cell for the result of a call at a given hour. In the example of the table, the game starts at hour 1 and
 * ends at hour 3, and writeups are due at hour 5.
 */
function phaseCell(call: PhaseCall, at: number, practiceMode: boolean): string {
  const game = { start: hour(1), end: hour(3), practiceMode, writeupDeadline: hour(5) }
  const refusal = refuseOutsidePhase(call, game, hour(at))
  if (refusal) return statusOf(refusal)
  return at > 3 && refuseOutsidePhase(call, game, hour(6)) ? 'until the writeup deadline' : 'yes'
}

function phases(): string {
  return table(
    ['Call', 'Before the start', 'Running', 'Over, practice', 'Over, no practice'],
    (Object.keys(phaseTable) as PhaseCall[]).map((call) => [
      phaseLabels[call],
      phaseCell(call, 0, true),
      phaseCell(call, 2, true),
      phaseCell(call, 4, true),
      phaseCell(call, 4, false),
    ]),
  )
}

function spaced(text: string | undefined): string {
  return text === undefined ? '' : [...text].map(code).join(' ')
}

function leet(): string {
  return table(
    ['Character', 'Plain', 'Wide, where it differs'],
    Object.keys(plainLeet)
      .toSorted((left, right) => Number(/\d/.test(left)) - Number(/\d/.test(right)) || (left < right ? -1 : 1))
      .map((character) => [
        code(character),
        spaced(plainLeet[character]),
        wideLeet[character] === plainLeet[character] ? '' : spaced(wideLeet[character]),
      ]),
  )
}

function settings(): string {
  return table(
    ['Setting', 'Default'],
    Object.entries(defaultSettings).flatMap(([section, values]) =>
      Object.entries(values).map(([name, value]) => [code(`${section}.${name}`), code(JSON.stringify(value))]),
    ),
  )
}

/** Returns the table cell that lists the API tokens that may make the call. It uses the words of `docs/contract/tokens.md`. */
function tokenCell(name: keyof typeof tokenAccess): string {
  const needed = tokenAccess[name]
  if (needed === 'none') return ''
  if (needed.ownGame) return `${code(needed.scope)}; ${code(needed.ownGame)} of this game`
  return needed.game === undefined ? `${code(needed.scope)}, all games` : code(needed.scope)
}

function callRow(name: keyof typeof tokenAccess, { method, path: address, access, rateLimit, summary }: Operation): string[] {
  return [code(`${method} ${address}`), access, tokenCell(name), rateLimit ?? '', summary ?? '']
}

function calls(): string {
  const all = Object.entries({ ...operations, ...ownOperations }) as [keyof typeof tokenAccess, Operation][]
  return [...Map.groupBy(all, ([, { tag }]) => tag)]
    .map(
      ([tag, group]) =>
        `## ${tag}\n\n${table(
          ['Call', 'Who', 'API token', 'Rate limit', ''],
          group.map(([name, operation]) => callRow(name, operation)),
        )}`,
    )
    .join('\n\n')
}

/** Returns a map from each name in the source text to the comment that precedes the name. The comment is in one line. */
function commentsOf(source: string): ReadonlyMap<string, string> {
  const comments = new Map<string, string>()
  let comment: string[] = []
  for (const line of source.split('\n').map((each) => each.trim())) {
    if (line.startsWith('/**')) comment = []
    if (line.startsWith('/**') || line.startsWith('*')) {
      comment.push(
        line
          .replace(/^\/?\*+/, '')
          .replace('*/', '')
          .trim(),
      )
      continue
    }
    const name = /^(?:export const )?(\w+)/.exec(line)?.[1]
    if (name !== undefined && comment.length > 0)
      comments.set(name, comment.filter((part) => part !== '' && part !== '/').join(' '))
    comment = []
  }
  return comments
}

const units = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const

function amount(name: string, value: number): string {
  const unit = /bytes/i.test(name) ? units.find(([, size]) => value % size === 0) : undefined
  return unit ? `${value / unit[1]} ${unit[0]}` : value.toLocaleString('en-US')
}

type Figures = Readonly<Record<string, unknown>>
function isFigures(value: unknown): value is Figures {
  return typeof value === 'object' && value !== null
}

function figureRows(figures: Figures, comments: ReadonlyMap<string, string>, prefix = ''): string[][] {
  return Object.entries(figures).flatMap(([name, value]) => {
    if (isFigures(value)) {
      const rows = figureRows(value, comments, `${prefix}${name}.`)
      return rows.map(([label = '', figure = '', note = ''], index) => [
        label,
        figure,
        index > 0 ? note : (comments.get(name) ?? note),
      ])
    }
    return [[code(prefix + name), amount(name, Number(value)), prefix === '' ? (comments.get(name) ?? '') : '']]
  })
}

function limitTables(): string {
  const source = readFileSync(limitsFile, 'utf8')
  const comments = commentsOf(source)
  const place = (name: string): number => source.indexOf(`export const ${name} `)
  return Object.entries<unknown>({ ...limits })
    .toSorted(([left], [right]) => place(left) - place(right))
    .flatMap(([name, figures]) => (isFigures(figures) ? [[name, figures] as const] : []))
    .map(([name, figures]) =>
      [`### ${name}`, comments.get(name), table(['Name', 'Value', ''], figureRows(figures, comments))]
        .filter(Boolean)
        .join('\n\n'),
    )
    .join('\n\n')
}

function repeatableCalls(): string {
  return (Object.values({ ...operations, ...ownOperations }) as Operation[])
    .filter(({ repeatable }) => repeatable)
    .map(({ method, path: address, summary }) => `- ${code(`${method} ${address}`)}: ${summary}`)
    .join('\n')
}

const { global, register, signIn, ticketMessage, ticketState, powChallenge, submit, container, instanceStart, concurrency } =
  limits.RateLimits

type Bucket = typeof powChallenge | typeof submit | typeof container | typeof instanceStart

function bucket({ capacity, refill, refillSeconds }: Bucket): string {
  return `${capacity}, refilled by ${refill} every ${refillSeconds} s`
}

function window({ count, windowSeconds }: Readonly<{ count: number; windowSeconds: number }>): string {
  return `${count} in ${windowSeconds} s`
}

/**
 * Returns the generated parts of `docs/contract`, as a map from the name of each part to its text. The markers around a part
 * contain its name.
 */
export function generateContractTables(): Readonly<Record<string, string>> {
  return {
    codes: codes(),
    phases: phases(),
    leet: leet(),
    settings: settings(),
    calls: calls(),
    'repeatable-calls': repeatableCalls(),
    limits: limitTables(),
    'rate-global': `${global.perMinute} in any minute, counted in ${global.segments} segments; ${global.queued} more can wait`,
    'rate-register': window(register),
    'rate-sign-in': window(signIn),
    'rate-ticket-message': window(ticketMessage),
    'rate-ticket-state': window(ticketState),
    'rate-pow-challenge': bucket(powChallenge),
    'rate-submit': bucket(submit),
    'rate-container': bucket(container),
    'rate-instance-start': bucket(instanceStart),
    'rate-concurrency': `${concurrency.running} at a time, ${concurrency.queued} more can wait`,
  }
}
